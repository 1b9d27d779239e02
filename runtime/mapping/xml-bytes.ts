// The bytes of an XML document, which may arrive in chunks.

import { MappingError } from "../errors.ts";
import { quoteText } from "../text/quoting.ts";
import { asBuffer, decodeUtf8, encodeUtf8 } from "../text/utf8.ts";

/** A step that yields when it needs more bytes. */
export type Reading<T> = Generator<undefined, T>;

/** What is returned instead of a byte at the end. */
export const end = -1;

const newline = 10;
const greater = 62;
const blanks = /* @__PURE__ */ bytesThat((character) => " \r\n\t".includes(character));

/** Bytes with a position. */
export class XmlBytes {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  /** The number of line ends before `bytes`. */
  #lines = 0;
  /** Whether the last chunk has been added. */
  isLast = false;
  /** The number of bytes of all chunks. */
  given = 0;
  /** The encoding that the document declares, and the bytes that it has not decoded yet. */
  #charset: InstanceType<typeof TextDecoder> | undefined;
  #encoded: Uint8Array = new Uint8Array(0);

  /** The bytes of the last chunk that have not been read. */
  get rest(): Uint8Array {
    return this.#charset === undefined ? this.bytes.subarray(this.at) : this.#encoded;
  }

  /** Adds a chunk when all bytes have been read. */
  add(chunk: Uint8Array, isLast: boolean): void {
    this.given += chunk.length;
    this.isLast = isLast;
    if (this.#charset === undefined) this.#load(chunk);
    else this.#encoded = chunk;
  }

  /** Decodes the bytes after the position. The first encoding of a document counts. */
  decodeFrom(encoding: string): void {
    if (this.#charset !== undefined) return;
    try {
      this.#charset = new TextDecoder(encoding, { ignoreBOM: true });
    } catch {
      const label = quoteText(encoding);
      throw unusableXml(`xml: opening charset ${label}: unsupported charset: ${label}`);
    }
    this.#encoded = this.bytes.subarray(this.at);
    this.bytes = this.bytes.subarray(0, this.at);
  }

  /** Skips the bytes of a set that are there. */
  skip(set: Uint8Array): void {
    const { bytes } = this;
    let to = this.at;
    while (set[bytes[to] ?? 256] === 1) to++;
    this.at = to;
  }

  // These three return `undefined` where the method after them has to wait: most bytes are there, and calling a
  // generator for each of them takes several times as long.

  next(): number | undefined {
    const byte = this.bytes[this.at];
    if (byte !== undefined) this.at++;
    return byte;
  }

  nextAfterBlanks(): number | undefined {
    this.skip(blanks);
    return this.next();
  }

  nextOf(set: Uint8Array): string | undefined {
    let to = this.at;
    let union = 0;
    for (let byte = this.bytes[to]; byte !== undefined; byte = this.bytes[++to]) {
      if (set[byte] !== 1) {
        const part = this.bytes.subarray(this.at, to);
        this.at = to;
        return union < 128 ? asBuffer(part).toString("latin1") : decodeUtf8(part);
      }
      union |= byte;
    }
    return undefined;
  }

  /** Reads bytes of a set. Another byte follows. */
  *take(set: Uint8Array): Reading<string> {
    const parts: Uint8Array[] = [];
    for (;;) {
      const from = this.at;
      while (set[this.bytes[this.at] ?? 256] === 1) this.at++;
      const part = this.bytes.subarray(from, this.at);
      if (this.at < this.bytes.length)
        return decodeUtf8(parts.length === 0 ? part : Buffer.concat([...parts, part]));
      parts.push(part);
      yield* this.must();
      this.at--;
    }
  }

  /** Returns the next byte that is not blank. */
  *afterBlanks(): Reading<number> {
    yield* this.take(blanks);
    return yield* this.must();
  }

  /** Skips the next byte if it is `byte`, and returns whether it is. */
  *isNext(byte: number): Reading<boolean> {
    if ((yield* this.must()) === byte) return true;
    this.at--;
    return false;
  }

  /** Returns the next byte. */
  *must(): Reading<number> {
    const byte = yield* this.more();
    if (byte === end) throw this.syntax("unexpected EOF");
    return byte;
  }

  /** Returns the next byte, or `end`. */
  *more(): Reading<number> {
    while (this.at >= this.bytes.length) {
      this.at = this.bytes.length;
      if (this.#encoded.length > 0) this.#decode();
      else if (this.isLast) return end;
      else yield;
    }
    return this.bytes[this.at++] ?? end;
  }

  /** Decodes bytes up to the next `>`, which may end the document. */
  #decode(): void {
    const next = this.#encoded.indexOf(greater) + 1;
    const length = next === 0 ? this.#encoded.length : next;
    const piece = this.#encoded.subarray(0, length);
    this.#encoded = this.#encoded.subarray(length);
    const stream = !this.isLast || this.#encoded.length > 0;
    this.#load(encodeUtf8(this.#charset?.decode(piece, { stream }) ?? ""));
  }

  #load(bytes: Uint8Array): void {
    this.#lines += lineEnds(this.bytes, this.at);
    this.bytes = bytes;
    this.at = 0;
  }

  /** Returns the failure at the position. */
  syntax(reason: string): MappingError {
    const line = 1 + this.#lines + lineEnds(this.bytes, this.at);
    return unusableXml(`XML syntax error on line ${line}: ${reason}`);
  }
}

/** Returns the failure of a document for a reason of the decoder. */
export function unusableXml(reason: string): MappingError {
  return notXml(reason, "xml.Decoder.Token() - ");
}

/** Returns the failure of a document. For callers it says what was parsed, which the method adds for others. */
export function notXml(reason: string, prefix: string): MappingError {
  return new MappingError(prefix + reason, `failed to parse value as XML: ${reason}`);
}

function lineEnds(bytes: Uint8Array, to: number): number {
  let count = 0;
  const text = asBuffer(bytes.subarray(0, to));
  for (let at = text.indexOf(newline); at >= 0; at = text.indexOf(newline, at + 1)) count++;
  return count;
}

/** Returns a table that has 1 for each byte whose character in Latin-1 is accepted. */
export function bytesThat(accepts: (character: string) => boolean): Uint8Array {
  return Uint8Array.from({ length: 257 }, (_, byte) =>
    byte < 256 && accepts(String.fromCharCode(byte)) ? 1 : 0,
  );
}
