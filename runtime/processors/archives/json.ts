// JSON archives: arrays, objects, and concatenated documents.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { nativeTypeName } from "../../mapping/kinds.ts";
import { isNumber } from "../../mapping/numeric.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Message } from "../../message/message.ts";
import { isArray, isObject, SourceNumber, type Value } from "../../message/value.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { archiving } from "./packing.ts";
import { named, type UnpackBudget, unarchiving } from "./unpacking.ts";

/** Makes an array of the documents. All messages must be JSON. */
export function archiveJsonArray(options: ArchiveOptions): Processor {
  return archiving(options, (batch, first) =>
    first.withDocument(batch.map((message) => documentOf(message, "as JSON"))),
  );
}

/** Makes a message of each element. */
export function unarchiveJsonArray(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) => {
    const elements = documentOf(message, "into JSON array");
    if (!isArray(elements)) throw ofOtherType("array", elements);
    return elementsOf(message, elements, room);
  });
}

/** Makes a message of each field. The metadata `archive_key` is its name. */
export function unarchiveJsonMap(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) => {
    const fields = documentOf(message, "into JSON map");
    if (!isObject(fields)) throw ofOtherType("map", fields);
    const keys = Object.keys(fields);
    return elementsOf(message, Object.values(fields), room).map((element, index) =>
      named(element, "archive_key", keys[index] ?? ""),
    );
  });
}

/** Makes a message of each of the concatenated documents. */
export function unarchiveJsonDocuments(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) =>
    splitDocuments(message.bytes()).map((bytes) => {
      room.take(bytes.length);
      const part = message.withBytes(bytes);
      const document = part.document();
      if (document === undefined) throw new MappingError(part.documentFailure());
      return part.withBytes(encodeJson(document));
    }),
  );
}

function ofOtherType(wanted: "array" | "map", found: Value): MappingError {
  // The reference engine keeps document numbers as text, in a type of their own.
  const type = isNumber(found) ? "json.Number" : nativeTypeName(found);
  return new MappingError(`failed to parse message into JSON ${wanted}: invalid type '${type}'`);
}

function documentOf(message: Message, purpose: string): Value {
  const document = message.document();
  if (document !== undefined) return document;
  throw new MappingError(`failed to parse message ${purpose}: ${message.documentFailure()}`);
}

/**
 * Returns a message of each value. A text stays a JSON string: in a mapping, a text would become the whole content. The
 * others are printed when something reads their bytes, unless they have to be counted exactly.
 */
function elementsOf(message: Message, values: readonly Value[], room: UnpackBudget): readonly Message[] {
  const isPrintedLater = printedAtMost(message, values) <= room.left;
  return values.map((value) => {
    if (isPrintedLater && typeof value !== "string") {
      room.take(0);
      return message.withKnownDocument(value);
    }
    const bytes = encodeJson(value);
    room.take(bytes.length);
    return message.isMade && !isPrintedLater ? message.withBytes(bytes) : message.withBytes(bytes, value);
  });
}

/** The most bytes that are printed for one byte or character, as for U+2028. */
const longestEscape = 6;

/** The nesting depth down to which recursion cannot exhaust the stack. */
const shallowDepth = 200;

/**
 * Returns a bound on the bytes of printed values of a message. It is infinite if one of them would be another value once
 * it is printed and parsed: a document that a mapping made may have values that JSON has not, such as timestamps.
 */
function printedAtMost(message: Message, values: readonly Value[]): number {
  return message.isMade ? sizeAtMost(values, 0) : message.bytes().length * longestEscape;
}

function sizeAtMost(value: Value, depth: number): number {
  if (typeof value === "string") return textAtMost(value);
  if (typeof value === "number") return isKept(value) ? 24 : Number.POSITIVE_INFINITY;
  if (typeof value === "boolean" || value === null) return 5;
  if (depth === shallowDepth) return Number.POSITIVE_INFINITY;
  let size = 2;
  if (isArray(value)) {
    for (let index = 0; index < value.length; index++)
      size += 1 + sizeAtMost(value[index] ?? null, depth + 1);
    return size;
  }
  if (value instanceof SourceNumber) return value.toString().length;
  if (!isObject(value)) return Number.POSITIVE_INFINITY;
  for (const key in value) size += 2 + textAtMost(key) + sizeAtMost(value[key] ?? null, depth + 1);
  return size;
}

function textAtMost(text: string): number {
  return text.isWellFormed() ? 2 + longestEscape * text.length : Number.POSITIVE_INFINITY;
}

/** Whether a number is the same one once it is printed and parsed: others keep their text. */
function isKept(value: number): boolean {
  const magnitude = Math.abs(value);
  if (Number.isInteger(value)) return magnitude <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0);
  return magnitude >= 1e-4 && magnitude < 1e6;
}

const space: ReadonlySet<number> = /* @__PURE__ */ new Set([0x20, 0x09, 0x0a, 0x0d]);
const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = /* @__PURE__ */ new Set([0x7b, 0x5b]);
const closing: ReadonlySet<number> = /* @__PURE__ */ new Set([0x7d, 0x5d]);

/**
 * Splits documents: an object or array up to its closing bracket, a string, or anything else up to the next white space
 * or the beginning of a document. Does not check whether each of them is valid JSON.
 */
export function splitDocuments(bytes: Uint8Array): readonly Uint8Array[] {
  const documents: Uint8Array[] = [];
  for (let at = afterSpace(bytes, 0); at < bytes.length; at = afterSpace(bytes, at)) {
    const end = endOfDocument(bytes, at);
    documents.push(bytes.subarray(at, end));
    at = end;
  }
  return documents;
}

function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (space.has(bytes[at] ?? -1)) at++;
  return at;
}

function endOfDocument(bytes: Uint8Array, start: number): number {
  const first = bytes[start] ?? 0;
  if (first === quote) return afterText(bytes, start);
  if (!opening.has(first)) return endOfWord(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = afterText(bytes, at) - 1;
    else if (opening.has(byte)) depth++;
    else if (closing.has(byte) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function afterText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === backslash) at++;
    else if (bytes[at] === quote) return at + 1;
  }
  return bytes.length;
}

/**
 * Returns the end of a word of at least one byte. A byte that cannot begin a document becomes one that no reader
 * accepts.
 */
function endOfWord(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote || space.has(byte) || opening.has(byte)) break;
  }
  return at;
}
