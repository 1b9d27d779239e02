import type { Scanner } from "../component/scanner.ts";
import { GatewayError } from "../errors.ts";
import { Pieces } from "../process/memory/body-budget.ts";
import { largestMessage, piece, unfitSource } from "./gathered.ts";
import type { JsonDocumentsScannerOptions } from "./generated/json-documents-scanner-options.ts";

/** Makes a message of each JSON document. White space between documents is optional. */
export function jsonDocumentsScanner(_options: JsonDocumentsScannerOptions = {}): Scanner {
  return {
    async *scan({ bytes, keep }) {
      const documents = new Documents();
      for await (const chunk of bytes) {
        // One by one: the documents before one that is not JSON are delivered.
        for (const document of documents.add(chunk)) yield documentOf(document);
        if (documents.held > largestMessage)
          throw unfitSource(`A document is larger than ${largestMessage} bytes`);
        await keep?.(documents.held);
      }
      yield* documents.end().map(documentOf);
    },
  };
}

function documentOf(bytes: Uint8Array): ReturnType<typeof piece> {
  const message = piece(bytes);
  const failure = message.parseFailure();
  if (failure !== undefined)
    throw new GatewayError(502, `The source holds what is not JSON: ${failure}`, { retryable: false });
  return message;
}

const quote = 0x22;
const backslash = 0x5c;

/** Finds the ends of documents. It looks at each byte once. */
class Documents {
  readonly #pieces = new Pieces();
  #depth = 0;
  #kind: "none" | "nested" | "text" | "word" = "none";
  #isInText = false;
  #isEscaped = false;

  /** The number of bytes held of the incomplete document. */
  get held(): number {
    return this.#pieces.length;
  }

  /** Returns the documents that end in a chunk. */
  add(chunk: Uint8Array): Uint8Array[] {
    const ended: Uint8Array[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#kind === "word" && (isSpace(byte) || byte === quote || isOpening(byte))) {
        ended.push(this.#finish(chunk.subarray(start, at)));
        start = at;
      }
      if (this.#kind === "none") {
        start = at;
        if (isSpace(byte)) {
          start = at + 1;
          continue;
        }
        this.#begin(byte);
      } else if (this.#isInText) this.#readText(byte);
      else if (byte === quote) this.#isInText = true;
      else if (isOpening(byte)) this.#depth += 1;
      else if (isClosing(byte)) this.#depth -= 1;
      if (this.#isOver()) {
        ended.push(this.#finish(chunk.subarray(start, at + 1)));
        start = at + 1;
      }
    }
    if (this.#kind !== "none") this.#pieces.add(chunk.subarray(start));
    return ended;
  }

  /** Returns the document that ends with the source. It is incomplete unless it is a word. */
  end(): Uint8Array[] {
    return this.#kind === "none" ? [] : [this.#finish(new Uint8Array())];
  }

  #begin(byte: number): void {
    this.#isInText = byte === quote;
    this.#depth = isOpening(byte) ? 1 : 0;
    this.#kind = this.#isInText ? "text" : isOpening(byte) ? "nested" : "word";
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInText = false;
  }

  #isOver(): boolean {
    if (this.#kind === "text") return !this.#isInText;
    return this.#kind === "nested" && this.#depth <= 0 && !this.#isInText;
  }

  #finish(last: Uint8Array): Uint8Array {
    this.#pieces.add(last);
    this.#kind = "none";
    return this.#pieces.takeAll();
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isOpening(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}
