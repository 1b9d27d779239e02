// Encodes bytes as text, and decodes them.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { asBuffer, bytewise, encodeUtf8 } from "../text/utf8.ts";
import { textArgument, textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { bytesOf } from "./text.ts";

const z85Alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/** `.encode(scheme)` */
export function encode(target: Value, from: string, scheme: Value): string {
  const name = schemeArgument("method 'encode'", scheme);
  textTarget(target, from);
  const bytes = asBuffer(bytesOf(target));
  switch (name) {
    case "base64":
      return bytes.toString("base64");
    case "base64url":
      return bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_");
    case "base64rawurl":
      return bytes.toString("base64url");
    case "hex":
      return bytes.toString("hex");
    case "ascii85":
      return encodeAscii85(bytes);
    case "z85":
      if (bytes.length % 4 !== 0) throw failedOn(from, "z85: wrongly aligned input data");
      return groups(bytes, 4)
        .map((group) => digits85(bigEndian(group)).map(z85Digit).join(""))
        .join("");
  }
}

/** `.decode(scheme)` */
export function decode(target: Value, from: string, scheme: Value): Uint8Array {
  const name = schemeArgument("method 'decode'", scheme);
  const text = textTarget(target, from);
  switch (name) {
    case "base64":
      return decodeBase64(text, from, /[^A-Za-z0-9+/]/, true);
    case "base64url":
      return decodeBase64(text, from, /[^A-Za-z0-9\-_]/, true);
    case "base64rawurl":
      return decodeBase64(text, from, /[^A-Za-z0-9\-_]/, false);
    case "hex":
      return decodeHex(text, from);
    case "ascii85":
      return decodeAscii85(text, from);
    case "z85":
      return decodeZ85(text, from);
  }
}

const schemes = ["base64", "base64url", "base64rawurl", "hex", "ascii85", "z85"] as const;

/** Returns the scheme that a computed argument names. The argument is checked before the target. */
function schemeArgument(call: string, scheme: Value): (typeof schemes)[number] {
  const name = textArgument(call, "scheme", scheme);
  const known = schemes.find((each) => each === name);
  if (known === undefined) throw new MappingError(`unrecognized encoding type: ${name}`);
  return known;
}

function decodeBase64(text: string, from: string, digit: RegExp, padded: boolean): Uint8Array {
  // One character for each byte, since faults are counted in bytes.
  const bytes = Buffer.byteLength(text) === text.length ? text : bytewise(text);
  const compact = bytes.replace(/[\r\n]/g, "");
  const fault = padded ? paddedFault(compact, digit) : unpaddedFault(compact, digit);
  if (fault === undefined) return Buffer.from(compact, "base64");
  const { message, place } = fault;
  throw failedOn(from, message, `the text is not base64 from byte ${place} on`);
}

interface Fault {
  readonly message: string;
  /** The index of the fault in the text. */
  readonly place: number;
}

const illegal = (place: number, shown = place): Fault => ({
  message: `illegal base64 data at input byte ${shown}`,
  place,
});

/**
 * Returns the first fault of a text in groups of four digits. The last group may end in one or two padding characters.
 */
function paddedFault(text: string, digit: RegExp): Fault | undefined {
  const rest = text.length % 4;
  const whole = text.length - rest;
  const end = text.search(digit);
  if (end >= 0 && end < whole) {
    const isPadding = text[end] === "=" && end % 4 >= 2 && (end % 4 === 3 || text[end + 1] === "=");
    if (!isPadding) return illegal(end);
    const after = end + 4 - (end % 4);
    if (after < whole) return illegal(after);
  }
  return rest === 0 ? undefined : { message: "unexpected EOF", place: whole };
}

/**
 * Returns the first fault of a text without padding. In an incomplete last group, the reference engine counts from
 * zero.
 */
function unpaddedFault(text: string, digit: RegExp): Fault | undefined {
  const rest = text.length % 4;
  const whole = text.length - rest;
  const wrong = text.search(digit);
  if (wrong >= 0) return illegal(wrong, wrong < whole ? wrong : wrong - whole);
  return rest === 1 ? illegal(whole, 0) : undefined;
}

function decodeHex(text: string, from: string): Uint8Array {
  const at = text.search(/[^0-9a-fA-F]/);
  if (at >= 0) {
    const fault = `invalid byte: ${shownByte(text, at)}`;
    throw failedOn(from, `encoding/hex: ${fault}`, `the text is not hexadecimal: ${fault}`);
  }
  if (text.length % 2 === 1) {
    throw failedOn(from, "unexpected EOF", "the hexadecimal text has an odd length");
  }
  return Buffer.from(text, "hex");
}

/** Returns the first byte of a character as Go shows a code point, followed by the character if it is printable. */
function shownByte(text: string, at: number): string {
  const [byte = 0] = encodeUtf8(String.fromCodePoint(text.codePointAt(at) ?? 0));
  const code = `U+${byte.toString(16).toUpperCase().padStart(4, "0")}`;
  const character = String.fromCharCode(byte);
  return /^[ -~\u00a1-\u00ac\u00ae-\u00ff]$/.test(character) ? `${code} '${character}'` : code;
}

function encodeAscii85(bytes: Uint8Array): string {
  const encoded = groups(bytes, 4).map((group) => {
    const value = bigEndian([...group, 0, 0, 0].slice(0, 4));
    if (value === 0 && group.length === 4) return "z";
    return digits85(value)
      .slice(0, group.length + 1)
      .map((digit) => String.fromCharCode(digit + 33))
      .join("");
  });
  return encoded.join("");
}

function decodeAscii85(text: string, from: string): Uint8Array {
  const bytes: number[] = [];
  let group: number[] = [];
  let whole = 0;
  for (const [at, character] of [...text].entries()) {
    const code = character.charCodeAt(0);
    if (code <= 32) continue;
    if (character === "z" && group.length === 0) bytes.push(0, 0, 0, 0);
    else if (code < 33 || code > 117) throw failedOn(from, `illegal ascii85 data at input byte ${at}`);
    else group.push(code - 33);
    if (group.length === 5) {
      bytes.push(...bytesOfDigits(group));
      group = [];
    }
    if (group.length === 0) whole = at + 1;
  }
  // In an incomplete last group, the reference engine counts from zero.
  if (group.length === 1) throw failedOn(from, `illegal ascii85 data at input byte ${text.length - whole}`);
  if (group.length > 0)
    bytes.push(...bytesOfDigits([...group, 84, 84, 84, 84].slice(0, 5)).slice(0, group.length - 1));
  return Uint8Array.from(bytes);
}

function decodeZ85(text: string, from: string): Uint8Array {
  if (text.length % 5 !== 0) throw failedOn(from, "z85: wrongly aligned input data");
  const digits = Array.from(text, (character) => z85Alphabet.indexOf(character));
  const wrong = digits.indexOf(-1);
  if (wrong >= 0) throw failedOn(from, `z85: invalid input byte: ${shownByte(text, wrong)}`);
  return Uint8Array.from(groups(digits, 5).flatMap((group) => bytesOfDigits(group)));
}

function groups(values: ArrayLike<number>, size: number): number[][] {
  const all = Array.from(values);
  const found: number[][] = [];
  for (let start = 0; start < all.length; start += size) found.push(all.slice(start, start + size));
  return found;
}

function bigEndian(bytes: readonly number[]): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function digits85(value: number): number[] {
  return [85 ** 4, 85 ** 3, 85 ** 2, 85, 1].map((power) => Math.floor(value / power) % 85);
}

function bytesOfDigits(digits: readonly number[]): number[] {
  const value = digits.reduce((sum, digit) => sum * 85 + digit, 0) % 2 ** 32;
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

function z85Digit(digit: number): string {
  return z85Alphabet.charAt(digit);
}
