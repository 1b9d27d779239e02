// Parses JSON that every reader takes for the same value.

import { parseJsonText } from "../../message/json.ts";
import { isSpecial, isSpecialFraction } from "../../message/number-text.ts";
import type { KeptNumbers } from "./kept-numbers.ts";

/**
 * The parsed value, or the reason why the text is refused. `kept`: the numbers that keep their text in the document of a
 * message with this content; `undefined` if they were not looked for, or if the value has lone surrogates.
 */
export type ReadJson =
  | { readonly parsed: unknown; readonly kept: KeptNumbers | undefined }
  | { readonly reason: string };

/**
 * Parses JSON. Refuses objects with repeated members, of which readers use different ones (RFC 8259, section 4).
 * `bytes`: the text in UTF-8. `isDocument`: whether the value may become the document of a message.
 */
export function parseStrictJson(
  text: string,
  bytes: Buffer = Buffer.from(text),
  isDocument = false,
): ReadJson {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { reason: "is not JSON" }; // SyntaxError, or RangeError if it is nested too deeply
  }
  const { members, kept } = survey(bytes, isDocument);
  // Repeated members make the value have fewer than the text.
  return members === countMembers(parsed) ? { parsed, kept } : { reason: "has a member twice" };
}

/**
 * Parses JSON again, with the texts of numbers that JavaScript does not print as they are written; `undefined` if there
 * are none.
 */
export function readWithTexts(text: string): unknown {
  if (!mayBeRounded.test(text)) return undefined;
  const read = parseJsonText(text);
  return "value" in read ? read.value : undefined;
}

/** JavaScript keeps every number of up to fifteen digits that is neither huge nor tiny. */
const mayBeRounded = /\d(?:[\d.]{15}|[eE][-+]?\d{3})/;

/** Counts the members of all objects in a parsed value, which has each name once per object. */
function countMembers(value: unknown): number {
  let count = 0;
  // With a stack of its own, as values may nest deeper than the call stack; without lists of members, which cost more
  // than counting.
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) {
      for (const inner of next) if (typeof inner === "object") open.push(inner);
    } else if (isCompound(next)) {
      for (const name in next) {
        count += 1;
        const inner = next[name];
        if (typeof inner === "object") open.push(inner);
      }
    }
  }
  return count;
}

function isCompound(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

interface Survey {
  /** Number of members in all objects. */
  readonly members: number;
  readonly kept: KeptNumbers | undefined;
}

/** Bytes of a string that are looked at one by one; for more, the search of the engine is faster. */
const shortString = 32;

/** Looks once at all bytes of a valid text. */
function survey(bytes: Buffer, isDocument: boolean): Survey {
  const { length } = bytes;
  let members = 0;
  let kept: number[] | undefined = isDocument ? [] : undefined;
  let numbers = 0;
  let nextEscape = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      at += 1;
      for (let near = at + shortString; bytes[at] !== quote && at < length; ) {
        if (bytes[at] === backslash) {
          if (kept !== undefined && isSurrogate(bytes, at)) kept = undefined;
          at += 2;
          near = at + shortString;
        } else if (at < near) at += 1;
        else {
          if (nextEscape < at) nextEscape = find(bytes, backslash, at);
          at = Math.min(nextEscape, find(bytes, quote, at));
        }
      }
    } else if (byte === colon) members += 1;
    else if (kept !== undefined && byte <= nine && byte >= minus) {
      const end = numberEnd(bytes, at);
      if (!isPlainNumber(bytes, at, end)) kept.push(numbers, at, end);
      numbers += 1;
      at = end - 1;
    }
  }
  return { members, kept };
}

function find(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}

/** Whether an escape is half of a pair (`\ud83d`). */
function isSurrogate(bytes: Buffer, at: number): boolean {
  return bytes[at + 1] === 0x75 && ((bytes[at + 2] ?? 0) | 0x20) === 0x64 && (bytes[at + 3] ?? 0) >= 0x38;
}

function numberEnd(bytes: Buffer, start: number): number {
  let end = start + 1;
  for (; end < bytes.length; end++) {
    const byte = bytes[end] ?? 0;
    // Digits, `.`, `+`, `-`, `e`, `E`.
    if (byte > nine ? (byte | 0x20) !== 0x65 : byte < 0x2b || byte === 0x2c || byte === 0x2f) break;
  }
  return end;
}

/** Whether JavaScript prints a number as it is written, and as documents of messages do. */
function isPlainNumber(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start;
  if (length === 1) return true;
  let dot = -1;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > nine) return false;
    if (byte === point) dot = at;
  }
  const first = bytes[start];
  // Whole numbers that are safe, except negative zero.
  if (dot === -1) return (length < 16 && first !== minus) || !isSpecial(bytes.toString("latin1", start, end));
  if (bytes[end - 1] === zero) return false;
  // Fractions below a million with up to fifteen digits, not too small.
  const isUsual =
    length <= 6 ||
    (first === zero
      ? length <= 17 && bytes[start + 2] !== zero
      : first !== minus && length <= 16 && dot - start <= 6);
  if (isUsual) return true;
  const text = bytes.toString("latin1", first === minus ? start + 1 : start, end);
  return !isSpecialFraction(text, 0, text.indexOf("."), text.length);
}

const [quote, minus, point, zero, nine, colon, backslash] = [0x22, 0x2d, 0x2e, 0x30, 0x39, 0x3a, 0x5c];
