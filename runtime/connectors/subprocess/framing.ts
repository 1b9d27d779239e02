// Separates messages on the standard input and output of a program.

import { GatewayError } from "../../errors.ts";
import { readLines } from "../../message/lines.ts";

/** `lines`: each message is a line. In the other framings, the length in bytes precedes each message. */
export type Framing = "lines" | "length_prefixed_uint32_be" | "netstring";

const newline = /* @__PURE__ */ Buffer.from("\n");

/** Returns a message with its framing. */
export function frame(content: Uint8Array, framing: Framing): Uint8Array {
  switch (framing) {
    case "lines":
      return Buffer.concat([content, newline]);
    case "length_prefixed_uint32_be": {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(content.length);
      return Buffer.concat([length, content]);
    }
    case "netstring":
      return Buffer.concat([Buffer.from(`${content.length}:`), content, Buffer.from(",")]);
  }
}

/**
 * Yields the messages that a program writes.
 * Throws a `GatewayError` if one is longer than `limit` bytes, or not framed correctly.
 */
export function readFrames(
  source: AsyncIterable<Uint8Array>,
  framing: Framing,
  limit: number,
): AsyncGenerator<Uint8Array> {
  if (framing === "lines") return readLines(source, { max_buffer_size: limit });
  return readCounted(source, framing === "netstring" ? netstring : lengthPrefixed, limit);
}

/**
 * Returns the position of the content of a frame, and of the next frame; `undefined` while the length is incomplete.
 */
type FindFrame = (
  held: Buffer,
) => { readonly start: number; readonly size: number; readonly end: number } | undefined;

const lengthPrefixed: FindFrame = (held) => {
  if (held.length < 4) return undefined;
  const size = held.readUInt32BE(0);
  return { start: 4, size, end: 4 + size };
};

/** Largest number of digits in a length. */
const longestLength = 10;

const netstring: FindFrame = (held) => {
  const colon = held.subarray(0, longestLength + 1).indexOf(0x3a);
  const digits = held.subarray(0, colon < 0 ? longestLength : colon).toString("latin1");
  if (!/^\d*$/.test(digits) || colon === 0 || (colon < 0 && held.length > longestLength))
    throw new GatewayError(502, "The command wrote what is not a netstring");
  if (colon < 0) return undefined;
  const size = Number(digits);
  const end = colon + 1 + size + 1;
  if (held.length >= end && held[end - 1] !== 0x2c)
    throw new GatewayError(502, "The command wrote a netstring without its comma");
  return { start: colon + 1, size, end };
};

async function* readCounted(
  source: AsyncIterable<Uint8Array>,
  find: FindFrame,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let wanted = 1;
  for await (const chunk of source) {
    parts.push(chunk);
    size += chunk.length;
    if (size < wanted) continue;
    let held = Buffer.concat(parts);
    for (;;) {
      const found = find(held);
      if (found !== undefined && found.size > limit)
        throw new GatewayError(502, `The command wrote a message of more than ${limit} bytes`);
      wanted = found?.end ?? held.length + 1;
      if (found === undefined || held.length < found.end) break;
      yield held.subarray(found.start, found.start + found.size);
      held = held.subarray(found.end);
    }
    parts = held.length === 0 ? [] : [held];
    size = held.length;
  }
}
