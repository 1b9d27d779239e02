// Parses the responses of memcached's text protocol (memcached/doc/protocol.txt, "Retrieval commands", "Storage
// commands").

import { answerLimit, Pieces } from "../../process/memory/body-budget.ts";
import { asBuffer } from "../../text/utf8.ts";

/** The response to one command. */
export type MemcachedAnswer =
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "value"; readonly value: Uint8Array }
  /** The server refused the command with a reason and continues to serve the connection. */
  | { readonly kind: "refusal"; readonly reason: string };

/** The longest line that a server sends. */
const longestLine = 4_096;
/** The bytes after the only value of a response. */
const answerEnd = Buffer.from("\r\nEND\r\n");

/** An incomplete value, with the bytes after it. */
interface Arriving {
  readonly pieces: Pieces;
  missing: number;
}

/**
 * Assembles responses from the received bytes. Throws an `Error` if a response is not valid; it cannot be used
 * afterwards.
 */
export class AnswerReader {
  #line: Buffer = Buffer.alloc(0);
  #value: Arriving | undefined;

  /** Yields the responses that `chunk` completes. */
  *read(chunk: Buffer): Iterable<MemcachedAnswer> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#value !== undefined) {
        const part = rest.subarray(0, this.#value.missing);
        rest = rest.subarray(part.length);
        const value = this.#take(part, this.#value);
        if (value !== undefined) yield { kind: "value", value };
        continue;
      }
      const text = this.#line.length === 0 ? rest : Buffer.concat([this.#line, rest]);
      const end = text.indexOf("\r\n");
      if ((end === -1 ? text.length : end) > longestLine)
        throw new Error("memcached sent a line without an end");
      this.#line = end === -1 ? text : Buffer.alloc(0);
      if (end === -1) return;
      rest = text.subarray(end + 2);
      const answer = this.#answerOf(text.toString("latin1", 0, end));
      if (answer !== undefined) yield answer;
    }
  }

  /** Returns the value if `part` completes it. */
  #take(part: Buffer, arriving: Arriving): Uint8Array | undefined {
    arriving.pieces.add(part);
    arriving.missing -= part.length;
    if (arriving.missing > 0) return undefined;
    this.#value = undefined;
    const bytes = asBuffer(arriving.pieces.takeAll());
    const length = bytes.length - answerEnd.length;
    if (!bytes.subarray(length).equals(answerEnd))
      throw new Error("memcached sent a value of another length");
    return bytes.subarray(0, length);
  }

  /** Returns the response in a line; `undefined` if a value follows. */
  #answerOf(line: string): MemcachedAnswer | undefined {
    const length = /^VALUE [^ ]+ \d{1,10} (\d{1,10})(?: \d+)?$/.exec(line)?.[1];
    if (length !== undefined) {
      if (Number(length) > answerLimit.bytes)
        throw new Error("memcached sent a value beyond `limits.max_answer_bytes`");
      this.#value = { pieces: new Pieces(), missing: Number(length) + answerEnd.length };
      return undefined;
    }
    const reason = /^SERVER_ERROR (.*)$/.exec(line)?.[1];
    if (reason !== undefined) return { kind: "refusal", reason };
    // After `ERROR` and `CLIENT_ERROR` the server may interpret a value as a command: the connection is unusable.
    if (!/^(?:END|STORED|NOT_STORED|DELETED|NOT_FOUND|VERSION .*)$/.test(line))
      throw new Error("memcached sent an invalid answer to the command");
    return { kind: "word", word: line };
  }
}
