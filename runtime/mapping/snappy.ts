// Decompresses Snappy blocks (google/snappy, format_description.txt), without the stream framing. The library accepts truncated blocks, and fills the missing
// parts with zeros, so this file does not use it.

import snappy from "snappyjs";
import { MappingError } from "../errors.ts";
import { tooLarge } from "./size-limits.ts";

export function packSnappy(bytes: Uint8Array): Uint8Array {
  return snappy.compress(bytes);
}

/** Decompresses a block. Throws if the size that the block declares is larger than `limit` bytes. */
export function unpackSnappy(bytes: Uint8Array, limit: number): Uint8Array {
  const { length, start } = readLength(bytes);
  if (length > limit) throw tooLarge(limit);
  const content = new Uint8Array(length);
  let written = 0;
  let at = start;
  while (at < bytes.length) {
    const element = readElement(bytes, at);
    if (written + element.length > length) throw broken();
    if (element.offset === 0) {
      at = element.next + element.length;
      if (at > bytes.length) throw broken();
      content.set(bytes.subarray(element.next, at), written);
      written += element.length;
    } else {
      if (element.offset > written) throw broken();
      at = element.next;
      // Copy byte by byte: the repeated part may overlap its copy.
      for (let left = element.length; left > 0; left--, written++) {
        content[written] = content[written - element.offset] ?? 0;
      }
    }
  }
  if (written !== length) throw broken();
  return content;
}

/** Reads a number with seven bits per byte, lowest bits first. */
function readLength(bytes: Uint8Array): { length: number; start: number } {
  let length = 0;
  for (let at = 0; at < 5; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { length, start: at + 1 };
  }
  throw broken();
}

/** An element of a block: the bytes that follow it, or a copy of earlier content. */
interface Element {
  readonly length: number;
  /** The distance of the copied content, or 0 for bytes of the block. */
  readonly offset: number;
  /** The index of the next element. */
  readonly next: number;
}

function readElement(bytes: Uint8Array, at: number): Element {
  const tag = bytes[at] ?? 0;
  const upper = tag >> 2;
  switch (tag & 3) {
    case 0: {
      const size = upper < 60 ? 0 : upper - 59;
      const length = size === 0 ? upper : readNumber(bytes, at + 1, size);
      return { length: length + 1, offset: 0, next: at + 1 + size };
    }
    case 1:
      return copy((upper & 7) + 4, ((tag >> 5) << 8) + readNumber(bytes, at + 1, 1), at + 2);
    case 2:
      return copy(upper + 1, readNumber(bytes, at + 1, 2), at + 3);
    default:
      return copy(upper + 1, readNumber(bytes, at + 1, 4), at + 5);
  }
}

function copy(length: number, offset: number, next: number): Element {
  if (offset === 0) throw broken();
  return { length, offset, next };
}

function readNumber(bytes: Uint8Array, at: number, size: number): number {
  let number = 0;
  for (let index = 0; index < size; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) throw broken();
    number += byte * 2 ** (8 * index);
  }
  return number;
}

function broken(): MappingError {
  return new MappingError("s2: corrupt input");
}
