// Prints values as JSON bytes into a buffer that all calls share. This is several times faster than joining strings,
// and no slower for numbers that keep their source text or for unsorted keys.

import { hasEscapes, NotEncodable, printJsonDeep, printScalar, quoteJson, sortedKeys } from "./json-print.ts";
import { type Lead, leadOf, shapeOf, textLead } from "./json-shapes.ts";
import { longestFraction, writeFraction, writeWhole } from "./number-digits.ts";
import { isArray, isObject, type ObjectValue, type Value } from "./value.ts";

/**
 * Size of the shared buffer in bytes. Results are slices of it until it is full, as with `Buffer.allocUnsafe`: nothing
 * is copied. A result that is kept keeps up to this much memory alive.
 */
const bufferSize = 1 << 14;
/** If fewer bytes than this are left, a new document starts in a new buffer. */
const leastRoom = 512;
/** The nesting depth down to which recursion cannot exhaust the stack. */
const shallowDepth = 200;
/** Strings up to this length are written faster character by character than by a native call. */
const shortText = 32;

const trueText = /* @__PURE__ */ textLead("true");
const falseText = /* @__PURE__ */ textLead("false");
const nullText = /* @__PURE__ */ textLead("null");

let buffer = /* @__PURE__ */ Buffer.alloc(0);
/** The same bytes as `buffer`, for writing 32-bit words. */
let view = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(0));
let start = 0;
let end = 0;

/**
 * Returns compact JSON as bytes, with keys sorted by their UTF-8 bytes. If the value contains a NaN or an infinity, the
 * result is empty, as in the reference engine.
 */
export function encodeJson(value: Value): Uint8Array {
  if (buffer.length - end < leastRoom) replaceBuffer(bufferSize);
  start = end;
  try {
    write(value, 0);
    const bytes = buffer.subarray(start, end);
    // A larger buffer with spare room was allocated for this document: copy the bytes, so that the buffer can be freed.
    return buffer.length > bufferSize ? Buffer.from(bytes) : bytes;
  } catch (error) {
    end = start;
    // The encoder of the reference engine fails on such a number, and the message becomes empty.
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
  } else if (typeof value === "boolean") {
    writeLead(value ? trueText : falseText);
  } else if (value === null) {
    writeLead(nullText);
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
    writeLongText(text);
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

/** Writes a text by native calls. Most have nothing to escape, and are copied straight into the buffer. */
function writeLongText(text: string): void {
  if (hasEscapes(text)) {
    writeAny(quoteJson(text));
    return;
  }
  writeByte(0x22);
  writeAny(text);
  writeByte(0x22);
}

function writeNumber(number: number): void {
  let value = number;
  if (number < 0) {
    writeByte(0x2d);
    value = -number;
  }
  if (value > 0 && (value | 0) === value) {
    if (end + 10 > buffer.length) grow(10);
    end = writeWhole(buffer, end, value);
    return;
  }
  if (end + longestFraction > buffer.length) grow(longestFraction);
  const written = writeFraction(buffer, end, value);
  if (written === -1) writeLiteral(printScalar(value));
  else end = written;
}

/** Writes a short text of ASCII as it is. */
function writeLiteral(text: string): void {
  const { length } = text;
  if (end + length > buffer.length) grow(length);
  const target = buffer;
  const at = end;
  for (let index = 0; index < length; index++) target[at + index] = text.charCodeAt(index);
  end = at + length;
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

/** Writes any well-formed string. */
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
