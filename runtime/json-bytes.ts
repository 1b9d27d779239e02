// Values as the bytes of JSON, written one after the other into a buffer that all calls share: several times
// faster than joining texts, and no slower for numbers that keep their text or keys out of order.

import { NotEncodable, printJsonDeep, printScalar, quoteJson, sortedKeys } from "./json-print.ts";
import { leadOf, shapeOf } from "./json-shapes.ts";
import { isArray, isObject, type ObjectValue, type Value } from "./value.ts";

/**
 * Results are parts of one buffer until it is full, as those of `Buffer.allocUnsafe` are: nothing is copied.
 * Whoever keeps a result keeps up to this much alive.
 */
const bufferSize = 1 << 14;
/** Less than this left is not worth beginning with. */
const leastRoom = 512;
/** Nesting down to which functions that call themselves are safe from running out of stack. */
const shallowDepth = 200;
/** Texts up to here are faster written character by character than by a call of native code. */
const shortText = 32;

let buffer = /* @__PURE__ */ Buffer.alloc(0);
let start = 0;
let end = 0;

/**
 * Compact JSON with keys sorted by their UTF-8 bytes, as bytes. A NaN or an infinity anywhere makes all of
 * it empty, as in the reference.
 */
export function encodeJson(value: Value): Uint8Array {
  if (buffer.length - end < leastRoom) replaceBuffer(bufferSize);
  start = end;
  try {
    write(value, 0);
    const bytes = buffer.subarray(start, end);
    // A larger buffer was made for this document, with room to spare: only what it needed stays alive.
    return buffer.length > bufferSize ? Buffer.from(bytes) : bytes;
  } catch (error) {
    end = start;
    // The reference's encoder gives up on such a number, and the message comes out empty.
    if (error instanceof NotEncodable) return new Uint8Array();
    throw error;
  } finally {
    if (buffer.length > bufferSize) replaceBuffer(0);
  }
}

function write(value: Value, depth: number): void {
  if (typeof value === "string") {
    writeText(value);
  } else if (typeof value === "number") {
    writeNumber(value);
  } else if (isArray(value)) {
    if (depth === shallowDepth) writeAny(printJsonDeep(value));
    else writeArray(value, depth);
  } else if (isObject(value)) {
    if (depth === shallowDepth) writeAny(printJsonDeep(value));
    else writeObject(value, depth);
  } else {
    writeAny(printScalar(value));
  }
}

function writeArray(elements: readonly Value[], depth: number): void {
  writeByte(0x5b);
  for (let index = 0; index < elements.length; index++) {
    if (index > 0) writeByte(0x2c);
    write(elements[index] ?? null, depth + 1);
  }
  writeByte(0x5d);
}

function writeObject(object: ObjectValue, depth: number): void {
  const shape = shapeOf(object);
  const keys = shape === undefined ? sortedKeys(object) : shape.keys();
  const leads = shape === undefined ? keys.map(leadOf) : shape.leads();
  if (keys.length === 0) writeByte(0x7b);
  for (let index = 0; index < keys.length; index++) {
    const lead = leads[index];
    const key = keys[index];
    if (lead === undefined || key === undefined) continue;
    writeBytes(lead);
    write(object[key] ?? null, depth + 1);
  }
  writeByte(0x7d);
}

function writeText(text: string): void {
  const { length } = text;
  if (length > shortText) {
    writeAny(quoteJson(text));
    return;
  }
  if (end + length + 2 > buffer.length) grow(length + 2);
  const start = end;
  const target = buffer;
  let at = start;
  target[at++] = 0x22;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    // Control characters, the quote, the backslash and everything beyond ASCII.
    if (code < 0x20 || code === 0x22 || code === 0x5c || code > 0x7f) {
      writeAny(quoteJson(text));
      return;
    }
    target[at++] = code;
  }
  target[at++] = 0x22;
  end = at;
}

function writeNumber(value: number): void {
  const hundredths = Math.round(value * 100);
  // Two decimals at most, which is most numbers: what is left of them is an integer, whose digits are known.
  if (hundredths > 0 && hundredths < 1e9 && hundredths / 100 === value) {
    writeHundredths(hundredths);
    return;
  }
  const text = printScalar(value);
  if (end + text.length > buffer.length) grow(text.length);
  const target = buffer;
  let at = end;
  for (let index = 0; index < text.length; index++) target[at++] = text.charCodeAt(index);
  end = at;
}

function writeHundredths(hundredths: number): void {
  if (end + 12 > buffer.length) grow(12);
  const whole = Math.trunc(hundredths / 100);
  const cents = hundredths - whole * 100;
  writeDigits(whole);
  if (cents === 0) return;
  const tenths = Math.trunc(cents / 10);
  buffer[end++] = 0x2e;
  buffer[end++] = 0x30 + tenths;
  if (cents !== tenths * 10) buffer[end++] = 0x30 + cents - tenths * 10;
}

/** Writes a whole number of at most seven digits, for which there is room. */
function writeDigits(whole: number): void {
  let length = 1;
  for (let limit = 10; whole >= limit; limit *= 10) length++;
  let left = whole;
  for (let at = end + length - 1; at >= end; at--) {
    const rest = Math.trunc(left / 10);
    buffer[at] = 0x30 + left - rest * 10;
    left = rest;
  }
  end += length;
}

function writeBytes(bytes: Uint8Array): void {
  if (end + bytes.length > buffer.length) grow(bytes.length);
  const target = buffer;
  let at = end;
  for (let index = 0; index < bytes.length; index++) target[at++] = bytes[index] ?? 0;
  end = at;
}

function writeByte(byte: number): void {
  if (end === buffer.length) grow(1);
  buffer[end++] = byte;
}

/** Writes any well-formed text. */
function writeAny(text: string): void {
  const most = text.length * 3;
  if (end + most > buffer.length) grow(most);
  end += buffer.write(text, end, "utf8");
}

function grow(needed: number): void {
  const written = buffer.subarray(start, end);
  replaceBuffer(Math.max(bufferSize, (written.length + needed) * 2));
  end = written.copy(buffer);
}

function replaceBuffer(size: number): void {
  buffer = Buffer.allocUnsafeSlow(size);
  start = 0;
  end = 0;
}
