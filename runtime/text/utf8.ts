// Text that may contain bytes that are not UTF-8. Each such byte is represented by the lone surrogate U+DC00 + byte.

import { isUtf8 } from "node:buffer";

/** An empty buffer. */
export const noBytes: Buffer = /* @__PURE__ */ Buffer.alloc(0);

const encoder = /* @__PURE__ */ new TextEncoder();

/** Returns `text` in UTF-8. A lone surrogate U+DC80 … U+DCFF becomes its byte, any other becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, "utf8");
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (!isByteUnit(text, index)) continue;
    parts.push(encoder.encode(text.slice(start, index)), Uint8Array.of(text.charCodeAt(index) - 0xdc00));
    start = index + 1;
  }
  parts.push(encoder.encode(text.slice(start)));
  return Buffer.concat(parts);
}

/** Returns the text of `bytes` without loss: `encodeUtf8` returns the same bytes again. */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = asBuffer(bytes).toString("utf8");
  return text.includes("\ufffd") && !isUtf8(bytes) ? decodeBroken(bytes) : text;
}

/**
 * Returns the text of a header field, which Node reads as Latin-1: decoded as UTF-8 if it is valid, otherwise unchanged
 * (RFC 9110, section 5.5, does not define octets above 0x7f).
 */
export function fieldText(value: string): string {
  if (!nonAscii.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : value;
}

/**
 * Returns what to pass to Node for a header field in UTF-8: one character for each byte. Returns a text with a lone
 * surrogate unchanged, so that `isHeader` refuses it: as U+FFFD, different values would be the same.
 */
export function fieldValue(text: string): string {
  return nonAscii.test(text) && text.isWellFormed() ? Buffer.from(text, "utf8").toString("latin1") : text;
}

const nonAscii = /[\u0080-\uffff]/;

/** Returns the number of bytes of `encodeUtf8(text)`. */
export function utf8Length(text: string): number {
  const length = Buffer.byteLength(text, "utf8");
  if (length === text.length || text.isWellFormed()) return length;
  let bytes = 0;
  for (let index = 0; index < text.length; index++) if (isByteUnit(text, index)) bytes++;
  return length - 2 * bytes;
}

/** Compares texts by their UTF-8 bytes: negative, zero or positive. */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    if (left < 0xd800 || right < 0xd800) return left - right;
    return Buffer.compare(encodeUtf8(a), encodeUtf8(b));
  }
  return a.length - b.length;
}

/** Whether the unit at `index` stands for a byte: a low surrogate without a high surrogate before it. */
function isByteUnit(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 0xdc80 || unit > 0xdcff) return false;
  const before = index === 0 ? 0 : text.charCodeAt(index - 1);
  return before < 0xd800 || before > 0xdbff;
}

function decodeBroken(bytes: Uint8Array): string {
  let text = "";
  let start = 0;
  for (let index = 0; index < bytes.length; ) {
    const length = sequenceLength(bytes, index);
    if (length > 0) {
      index += length;
      continue;
    }
    text += Buffer.from(bytes.subarray(start, index)).toString("utf8");
    text += String.fromCharCode(0xdc00 + (bytes[index] ?? 0));
    index++;
    start = index;
  }
  return text + Buffer.from(bytes.subarray(start)).toString("utf8");
}

/** Returns the length of the UTF-8 sequence that starts at `index`; 0 if it is invalid. */
function sequenceLength(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return lead >= 0xc2 && isUtf8(bytes.subarray(index, index + length)) ? length : 0;
}

/** Returns the same bytes as a `Buffer` without copying them. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Returns one character for each byte of the text in UTF-8. Thus a part that is not UTF-8 is found within characters.
 */
export function bytewise(text: string): string {
  return asBuffer(encodeUtf8(text)).toString("latin1");
}

/** Returns the text of which `bytewise` returned `bytes` or a part. */
export function fromBytewise(bytes: string): string {
  return decodeUtf8(Buffer.from(bytes, "latin1"));
}
