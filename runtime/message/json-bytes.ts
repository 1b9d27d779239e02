// Values as the bytes of JSON, written one after the other into a buffer that all calls share: several times
// faster than joining texts, and no slower for numbers that keep their text or keys out of order.

import { NotEncodable, printJsonDeep, printScalar, quoteJson, sortedKeys } from "./json-print.ts";
import { type Lead, leadOf, shapeOf } from "./json-shapes.ts";
import { isArray, isObject, type ObjectValue, type Value } from "./value.ts";

/**
 * Results are parts of one buffer until it is full, as those of `Buffer.allocUnsafe` are: nothing is copied.
 * A result that is kept keeps up to this much alive.
 */
const bufferSize = 1 << 14;
/** Less than this left is not worth beginning with. */
const leastRoom = 512;
/** Nesting down to which functions that call themselves are safe from running out of stack. */
const shallowDepth = 200;
/** Texts up to here are faster written character by character than by a call of native code. */
const shortText = 32;

let buffer = /* @__PURE__ */ Buffer.alloc(0);
/** The same bytes, for writing words. */
let view = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(0));
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
    writeLead(lead);
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
  if (value > 0 && (value | 0) === value) {
    if (end + 10 > buffer.length) grow(10);
    writeDigits(value);
    return;
  }
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
  // Below 1e9 the operators of 32-bit integers do, which are faster.
  const whole = (hundredths / 100) | 0;
  const cents = (hundredths - whole * 100) | 0;
  writeDigits(whole);
  if (cents === 0) return;
  const tenths = (cents / 10) | 0;
  buffer[end++] = 0x2e;
  buffer[end++] = 0x30 + tenths;
  if (cents !== tenths * 10) buffer[end++] = 0x30 + cents - tenths * 10;
}

/** Writes a whole number below 2^31, for which there is room. */
function writeDigits(whole: number): void {
  let length = 1;
  for (let limit = 10; whole >= limit; limit *= 10) length++;
  let left = whole;
  const target = buffer;
  for (let at = end + length - 1; at >= end; at--) {
    const rest = (left / 10) | 0;
    target[at] = 0x30 + left - rest * 10;
    left = rest;
  }
  end += length;
}

function writeLead({ words, length }: Lead): void {
  const { length: count } = words;
  if (end + count * 4 > buffer.length) grow(count * 4);
  const target = view;
  let at = end;
  for (let index = 0; index < count; index++) {
    target.setInt32(at, words[index] ?? 0, true);
    at += 4;
  }
  end += length;
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
  view = new DataView(buffer.buffer);
  start = 0;
  end = 0;
}
