// Decodes values of the conformance data, and compares results with them.

import { numeric, toFloat } from "../../runtime/mapping/numeric.ts";
import { parseJson, printJson } from "../../runtime/message/json.ts";
import {
  deleted,
  isArray,
  isObject,
  nothing,
  SourceNumber,
  Timestamp,
  type Value,
  WholeFloat,
} from "../../runtime/message/value.ts";

/** Returns a value of the data without its wrappers (`{"$float": 1}`). */
export function decodeValue(data: unknown): Value {
  if (Array.isArray(data)) return data.map(decodeValue);
  if (typeof data !== "object" || data === null) return decodeScalar(data);
  const record = data as Readonly<Record<string, unknown>>;
  const [key = ""] = Object.keys(record);
  if (key.startsWith("$")) return decodeWrapper(key, record);
  return Object.fromEntries(Object.entries(record).map(([name, each]) => [name, decodeValue(each)]));
}

function decodeScalar(data: unknown): Value {
  if (typeof data === "string" || typeof data === "number" || typeof data === "boolean") return data;
  return null;
}

function decodeWrapper(key: string, record: Readonly<Record<string, unknown>>): Value {
  const inner = record[key];
  switch (key) {
    case "$bytes":
      return new Uint8Array(Buffer.from(String(inner), record.$encoding === "base64" ? "base64" : "utf8"));
    case "$int": {
      const small = Number(inner);
      return Number.isSafeInteger(small) ? small : BigInt(String(inner));
    }
    case "$number":
      return new SourceNumber(String(inner));
    case "$float":
      return Number.isInteger(Number(inner)) ? new WholeFloat(Number(inner)) : Number(inner);
    case "$delete":
      return deleted;
    case "$nothing":
      return nothing;
    default:
      return [];
  }
}

/** Whether two values are equal: numbers by value, bytes as text, objects in any key order. */
export function sameValue(actual: Value, expected: Value, tolerance = 0): boolean {
  const [left, right] = [numeric(actual), numeric(expected)];
  if (left !== undefined && right !== undefined) {
    return (
      String(left.valueOf()) === String(right.valueOf()) || near(toFloat(left), toFloat(right), tolerance)
    );
  }
  if (actual instanceof Uint8Array || expected instanceof Uint8Array)
    return textOf(actual) === textOf(expected);
  if (actual instanceof Timestamp) return sameValue(JSON.parse(printJson(actual)), expected);
  if (isArray(actual) && isArray(expected)) {
    return (
      actual.length === expected.length &&
      actual.every((each, index) => sameValue(each, expected[index] ?? null, tolerance))
    );
  }
  if (!isObject(actual) || !isObject(expected)) return actual === expected;
  const keys = Object.keys(actual);
  return (
    keys.length === Object.keys(expected).length &&
    keys.every(
      (key) =>
        Object.hasOwn(expected, key) && sameValue(actual[key] ?? null, expected[key] ?? null, tolerance),
    )
  );
}

/** Whether `actual` contains every part of `expected`. */
export function containsValue(actual: Value, expected: Value): boolean {
  if (!isObject(expected)) return sameValue(actual, expected);
  return (
    isObject(actual) &&
    Object.entries(expected).every(([key, each]) => containsValue(actual[key] ?? null, each))
  );
}

/** Parses a JSON text to a value. */
export function parseText(text: string): Value {
  const parsed = parseJson(Buffer.from(text));
  return "value" in parsed ? parsed.value : text;
}

function near(left: number, right: number, tolerance: number): boolean {
  return left === right || Math.abs(left - right) <= tolerance;
}

function textOf(value: Value): string | Value {
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value;
}
