// Splits a stream of bytes into lines.

import { GatewayError } from "../errors.ts";

/** The options of the `lines` scanner. */
export interface LineReaderOptions {
  /** Ends a line instead of a line feed with an optional carriage return before it. */
  readonly custom_delimiter?: string;
  /** The maximum length of a line, in bytes. */
  readonly max_buffer_size?: number;
  readonly omit_empty?: boolean;
}

/** The share of an incomplete line in a common memory allowance. */
export interface LineHold {
  /** Resolves when there is room for `bytes` instead of the bytes kept before. Rejects if there cannot be any. */
  keep(bytes: number): Promise<void>;
}

const defaultLimit = 65_536;

/**
 * Yields the lines without their delimiters. Bytes after the last delimiter are a line too, unless there are none.
 * Throws a `GatewayError` if a line is too long, and rethrows errors of `source` without yielding the incomplete line.
 * `hold` accounts for the bytes of an incomplete line; reading pauses until there is room for them.
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
    // The delimiter may have begun in an earlier chunk.
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
  if (tail.bytes.length > 0 && isWanted(last)) yield last;
}

/**
 * The bytes after the last delimiter. The buffer has room to grow: otherwise each byte of a line that arrives byte by
 * byte would copy the whole line. Written bytes are never overwritten, because lines are slices of the same memory.
 */
class Tail {
  bytes = Buffer.alloc(0);
  /** Free bytes after `bytes`. */
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

  /** Drops the first `count` bytes. */
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

/** Returns what an output's codec writes after each message: `lines`, `delim:X`, or nothing for other codecs. */
export function endOfMessage(codec: string): string {
  if (codec === "lines") return "\n";
  return codec.startsWith("delim:") ? codec.slice("delim:".length) : "";
}
