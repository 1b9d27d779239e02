// Answers of memcached's text protocol (memcached/doc/protocol.txt, "Retrieval commands", "Storage commands").

import { answerLimit, Pieces } from "../../process/memory/body-budget.ts";
import { asBuffer } from "../../text/utf8.ts";

/** The answer to one command. */
export type MemcachedAnswer =
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "value"; readonly value: Uint8Array }
  /** The server refused the command and goes on; it says why in a line. */
  | { readonly kind: "refusal"; readonly reason: string };

/** The longest line that a server sends. */
const longestLine = 4_096;
/** What stands behind the only value of an answer. */
const answerEnd = Buffer.from("\r\nEND\r\n");

/** A value of which parts have arrived, with what stands behind it. */
interface Arriving {
  readonly pieces: Pieces;
  missing: number;
}

/** Puts answers together of what arrives. Throws an `Error` at anything else than an answer; it is of no use afterwards. */
export class AnswerReader {
  #line: Buffer = Buffer.alloc(0);
  #value: Arriving | undefined;

  /** The answers that are complete with `chunk`. */
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

  /** The value, where it is complete with `part`. */
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

  /** The answer of a line; `undefined` where a value follows. */
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
    // After `ERROR` and `CLIENT_ERROR` the server may take a value for a command: the connection is of no use.
    if (!/^(?:END|STORED|NOT_STORED|DELETED|NOT_FOUND|VERSION .*)$/.test(line))
      throw new Error("memcached sent an invalid answer to the command");
    return { kind: "word", word: line };
  }
}
