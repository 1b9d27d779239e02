// A stream of bytes, cut where lines end.

import { GatewayError } from "../errors.ts";

/** The `lines` scanner. */
export interface LineReaderOptions {
  /** Ends lines in place of a line feed, and of a carriage return before it. */
  readonly custom_delimiter?: string;
  /** Bytes of the longest line. */
  readonly max_buffer_size?: number;
  readonly omit_empty?: boolean;
}

/** What the part of a line takes of the memory that all share. */
export interface LineHold {
  /** Resolves once there is room for so many bytes in place of those that were kept before; rejects where there is none. */
  keep(bytes: number): Promise<void>;
}

const defaultLimit = 65_536;

/**
 * The lines, without what ends them; what follows the last end is a line too, unless it is empty. Throws a
 * `GatewayError` on a line that is too long, and what `source` throws: a line that was cut off is not given. The bytes of
 * a line whose end is not there yet are kept by `hold`; nothing more is read until there is room for them.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  { custom_delimiter = "", max_buffer_size = defaultLimit, omit_empty = false }: LineReaderOptions,
  hold?: LineHold,
): AsyncGenerator<Buffer> {
  const delimiter = Buffer.from(custom_delimiter === "" ? "\n" : custom_delimiter);
  const isWanted = (line: Buffer) => line.length > 0 || !omit_empty;
  const tail = new Tail();
  for await (const chunk of source) {
    // The delimiter may have begun in what came before.
    let searched = Math.max(0, tail.bytes.length - delimiter.length + 1);
    const known = tail.append(chunk);
    let start = 0;
    for (let end = known.indexOf(delimiter, searched); end !== -1; end = known.indexOf(delimiter, searched)) {
      const line = trim(known.subarray(start, end), custom_delimiter);
      checkLength(line, max_buffer_size);
      if (isWanted(line)) yield line;
      start = end + delimiter.length;
      searched = start;
    }
    tail.drop(start);
    checkLength(tail.bytes, max_buffer_size);
    if (hold !== undefined) await hold.keep(tail.bytes.length);
  }
  const last = trim(tail.bytes, custom_delimiter);
  if (last.length > 0) yield last;
}

/**
 * The bytes behind the last line. They have room to grow, as a line that comes byte by byte would otherwise be copied at
 * each of them. Bytes once written are never written again: lines are parts of the same memory.
 */
class Tail {
  bytes = Buffer.alloc(0);
  /** Bytes of room behind `bytes`. */
  #room = 0;

  append(chunk: Uint8Array): Buffer {
    const { length } = this.bytes;
    const size = length + chunk.length;
    if (length === 0) {
      this.bytes = Buffer.from(chunk);
      this.#room = 0;
    } else if (chunk.length <= this.#room) {
      const { buffer, byteOffset } = this.bytes;
      this.bytes = Buffer.from(buffer, byteOffset, size);
      this.bytes.set(chunk, length);
      this.#room -= chunk.length;
    } else {
      const grown = Buffer.allocUnsafeSlow(2 * size);
      grown.set(this.bytes);
      grown.set(chunk, length);
      this.bytes = grown.subarray(0, size);
      this.#room = size;
    }
    return this.bytes;
  }

  /** Forgets the bytes in front. */
  drop(count: number): void {
    this.bytes = this.bytes.subarray(count);
  }
}

function trim(line: Buffer, delimiter: string): Buffer {
  const carriageReturn = 13;
  return delimiter === "" && line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

function checkLength(line: Buffer, limit: number): void {
  if (line.length > limit) throw new GatewayError(502, `A line is longer than ${limit} bytes`);
}

/** What stands behind each message that a codec of an output writes: `lines`, `delim:X`, or nothing. */
export function endOfMessage(codec: string): string {
  if (codec === "lines") return "\n";
  return codec.startsWith("delim:") ? codec.slice("delim:".length) : "";
}
