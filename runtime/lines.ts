// A stream of bytes, cut where lines end.

import { GatewayError } from "./errors.ts";

/** The `lines` scanner. */
export interface LinesOptions {
  /** Ends lines in place of a line feed, and of a carriage return before it. */
  readonly custom_delimiter?: string;
  /** Bytes of the longest line. */
  readonly max_buffer_size?: number;
  readonly omit_empty?: boolean;
}

const defaultLimit = 65_536;

/**
 * The lines, without what ends them; what follows the last end is a line too, unless it is empty. Throws a
 * `GatewayError` on a line that is too long, and what `source` throws: a line that was cut off is not given.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  { custom_delimiter = "", max_buffer_size = defaultLimit, omit_empty = false }: LinesOptions,
): AsyncGenerator<Buffer> {
  const delimiter = Buffer.from(custom_delimiter === "" ? "\n" : custom_delimiter);
  const isWanted = (line: Buffer) => line.length > 0 || !omit_empty;
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    // The delimiter may have begun in what came before.
    let searched = Math.max(0, rest.length - delimiter.length + 1);
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(delimiter, searched); end !== -1; end = rest.indexOf(delimiter, searched)) {
      const line = trim(rest.subarray(start, end), custom_delimiter);
      checkLength(line, max_buffer_size);
      if (isWanted(line)) yield line;
      start = end + delimiter.length;
      searched = start;
    }
    rest = rest.subarray(start);
    checkLength(rest, max_buffer_size);
  }
  const last = trim(rest, custom_delimiter);
  if (last.length > 0) yield last;
}

function trim(line: Buffer, delimiter: string): Buffer {
  const carriageReturn = 13;
  return delimiter === "" && line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

function checkLength(line: Buffer, limit: number): void {
  if (line.length > limit) throw new GatewayError(502, `A line is longer than ${limit} bytes`);
}
