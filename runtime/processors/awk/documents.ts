// The functions that read and change the document of the message.

import { float, integer, isFloat, isNumber, numeric } from "../../mapping/numeric.ts";
import { deletePath, parsePath, put, resolve } from "../../mapping/paths.ts";
import { escapeHtmlCharacters, printJson } from "../../message/json.ts";
import { isArray, isObject, SizedNumber, type Value } from "../../message/value.ts";
import { bytewise, fromBytewise } from "../../text/utf8.ts";
import { spend } from "../jq/run.ts";
import type { ProgramState } from "./state.ts";
import { failure } from "./values.ts";

function pathOf(path: string): readonly string[] {
  return parsePath(fromBytewise(path));
}

/** `json_get(path)`: a text, or JSON. */
export function jsonGet({ message }: ProgramState, path: string): string {
  const found = resolve(message.document(), pathOf(path)) ?? null;
  if (typeof found === "string") return bytewise(found);
  const json = escapeHtmlCharacters(printJson(found)) || "null";
  spend(json.length >> 4);
  return bytewise(json);
}

/** Replaces the document. A path that cannot be set changes nothing, as in the reference engine. */
function change({ message }: ProgramState, path: readonly string[], value: Value): boolean {
  const document = message.document();
  countCopies(document, path);
  // Only arrays within a document grow.
  if (isArray(document) && path[0] === "-") return false;
  try {
    message.setDocument(put(document ?? {}, path, 0, value));
    return true;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "MappingError") throw error;
    message.setDocument(document);
    return false;
  }
}

/** Counts the cost of copying what contains the target. */
function countCopies(document: Value, path: readonly string[]): void {
  let current: Value | undefined = document;
  spend(8);
  for (const segment of path) {
    if (current === undefined) return;
    if (isObject(current)) spend(Object.keys(current).length >> 1);
    else if (isArray(current)) spend(current.length >> 4);
    else return;
    spend(1);
    current = resolve(current, [segment]);
  }
}

function set(state: ProgramState, path: string, value: Value): number {
  const segments = pathOf(path);
  note(state, segments, value, change(state, segments, value));
  return 0;
}

/** Remembers which numbers are integers: those of a message have no type. */
function note(
  { message: { integers } }: ProgramState,
  path: readonly string[],
  value: Value,
  isSet: boolean,
): void {
  const key = path.join("\0");
  if (isSet && isInteger(value)) integers.add(key);
  else integers.delete(key);
}

function isInteger(value: Value): boolean {
  const number = numeric(value);
  return number !== undefined && (value instanceof SizedNumber || !isFloat(number));
}

export function jsonSet(state: ProgramState, path: string, value: string): number {
  return set(state, path, fromBytewise(value));
}

export function jsonSetInt(state: ProgramState, path: string, value: number): number {
  return set(state, path, integer(BigInt(value)));
}

export function jsonSetFloat(state: ProgramState, path: string, value: number): number {
  return set(state, path, float(value));
}

export function jsonSetBool(state: ProgramState, path: string, value: boolean): number {
  return set(state, path, value);
}

/** Appends to an array. Another value becomes its first element. */
function append(state: ProgramState, path: string, value: Value): number {
  const segments = pathOf(path);
  const found = resolve(state.message.document(), segments) ?? null;
  const elements = isArray(found) ? found : found === null ? [] : [found];
  spend(elements.length >> 4);
  const isSet = change(state, segments, [...elements, value]);
  note(state, [...segments, String(elements.length)], value, isSet);
  return 0;
}

export function jsonAppend(state: ProgramState, path: string, value: string): number {
  return append(state, path, fromBytewise(value));
}

export function jsonAppendInt(state: ProgramState, path: string, value: number): number {
  return append(state, path, integer(BigInt(value)));
}

export function jsonAppendFloat(state: ProgramState, path: string, value: number): number {
  return append(state, path, float(value));
}

export function jsonAppendBool(state: ProgramState, path: string, value: boolean): number {
  return append(state, path, value);
}

/** `json_delete(path)` */
export function jsonDelete(state: ProgramState, path: string): number {
  const { message } = state;
  const segments = pathOf(path);
  const document = message.document();
  countCopies(document, segments);
  const isElement = isArray(document) && segments.length === 1;
  message.setDocument(isElement || document === null ? document : deletePath(document, segments));
  return 0;
}

/** Reads a value. As in the reference engine, the message is written anew afterwards. */
function read({ message }: ProgramState, path: readonly string[]): Value | undefined {
  const document = message.document();
  message.setDocument(document);
  return resolve(document, path);
}

/** `json_length(path)`: the bytes of a text, or the elements of an array. */
export function jsonLength(state: ProgramState, path: string): number {
  const found = read(state, pathOf(path));
  if (typeof found === "string") return bytewise(found).length;
  return found !== undefined && isArray(found) ? found.length : 0;
}

/** `json_type(path)` */
export function jsonType(state: ProgramState, path: string): string {
  const { message } = state;
  const segments = pathOf(path);
  const found = read(state, segments);
  if (found === undefined) return "undefined";
  if (found === null) return "null";
  if (typeof found === "string") return "string";
  if (typeof found === "boolean") return "bool";
  if (isArray(found)) return "array";
  if (isObject(found)) return "object";
  if (!isNumber(found)) throw failure("type not recognised");
  const isTyped = message.isMade || message.integers.has(segments.join("\0"));
  return isTyped && isInteger(found) ? "int" : "float";
}
