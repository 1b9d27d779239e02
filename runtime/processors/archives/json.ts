// JSON archives: arrays, objects, and concatenated documents.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { nativeTypeName } from "../../mapping/kinds.ts";
import { isNumber } from "../../mapping/numeric.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Message } from "../../message/message.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { archiving } from "./packing.ts";
import { named, type UnpackBudget, unarchiving } from "./unpacking.ts";

/** Makes an array of the documents. All messages must be JSON. */
export function archiveJsonArray(options: ArchiveOptions): Processor {
  return archiving(options, (entries, first) =>
    first.withDocument(entries.map(({ message }) => documentOf(message, "as JSON"))),
  );
}

/** Makes a message of each element. */
export function unarchiveJsonArray(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) => {
    const elements = documentOf(message, "into JSON array");
    if (!isArray(elements)) throw ofOtherType("array", elements);
    return elements.map((element) => elementOf(message, element, room));
  });
}

/** Makes a message of each field. The metadata `archive_key` is its name. */
export function unarchiveJsonMap(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) => {
    const fields = documentOf(message, "into JSON map");
    if (!isObject(fields)) throw ofOtherType("map", fields);
    return Object.entries(fields).map(([key, value]) =>
      named(elementOf(message, value, room), "archive_key", key),
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

/** A text element stays a JSON string. In a mapping, a text would become the whole content. */
function elementOf(message: Message, value: Value, room: UnpackBudget): Message {
  const bytes = encodeJson(value);
  room.take(bytes.length);
  // A document that a mapping made may have values that JSON has not, such as timestamps.
  return message.isMade ? message.withBytes(bytes) : message.withBytes(bytes, value);
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
