// The values of jq, and conversions from and to documents. Whole numbers keep all their digits; other numbers are
// doubles.

import { MappingError } from "../../errors.ts";
import { float, isNumber, maxInt64, minInt64 } from "../../mapping/numeric.ts";
import { parseJsonText, printJson } from "../../message/json.ts";
import { quoteJson, sortedKeys } from "../../message/json-print.ts";
import { isArray, isObject, SourceNumber, type Value } from "../../message/value.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { spend, spendOnText } from "./run.ts";

/**
 * A value. `bigint`: a whole number of any size beyond JavaScript's safe integers. Objects and arrays are immutable.
 */
export type JqValue = null | boolean | number | bigint | string | readonly JqValue[] | JsonObject;

/** An object. All keys are own properties, whatever their names. */
export interface JsonObject {
  readonly [key: string]: JqValue;
}

/** A failure in a query. `catch` receives its value. */
export class JqError extends MappingError {
  readonly value: JqValue;

  constructor(value: JqValue, message: string) {
    super(message);
    this.value = value;
  }
}

/** Returns a failure whose value is its message. */
export function failure(message: string): JqError {
  return new JqError(message, message);
}

/** Whether a value is an array. */
export function isList(value: JqValue): value is readonly JqValue[] {
  return Array.isArray(value);
}

/** Whether a value is an object. */
export function isRecord(value: JqValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a number. */
export function isNumeric(value: JqValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Whether a value counts as true. */
export function isTruthy(value: JqValue): boolean {
  return value !== null && value !== false;
}

/** Returns a whole number as a `number` if it is safe, otherwise as a `bigint`. */
export function whole(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** Returns the number of a JSON number text. Also accepts jq's own notation, such as `.5` or `1.`. */
export function numberOf(text: string): number | bigint {
  return /^-?[0-9]+$/.test(text) && text.length > 15
    ? whole(BigInt(text))
    : Number(text) + (text === "-0" ? 0 : -0);
}

/** Returns an own field of an object; null if it does not exist. */
export function fieldOf(object: JsonObject, key: string): JqValue {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

/** Returns an object with these entries. Later entries win. */
export function recordOf(entries: Iterable<readonly [string, JqValue]>): JsonObject {
  return Object.fromEntries(entries);
}

/** Returns the keys of an object in the order of their bytes. */
export function keysOf(object: JsonObject): string[] {
  // `sortedKeys` only looks at the keys.
  const keys = sortedKeys(object as never);
  spend(keys.length >> 1);
  return keys;
}

/**
 * Returns the elements of an array, or the values of an object in the order of its keys; `undefined` for other values.
 */
export function elementsOf(value: JqValue): readonly JqValue[] | undefined {
  if (isList(value)) return value;
  return isRecord(value) ? keysOf(value).map((key) => fieldOf(value, key)) : undefined;
}

/** Returns the name of a value's type. */
export function typeOf(value: JqValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return "number";
  return isList(value) ? "array" : typeof value;
}

/** Converts a document to a jq value. */
export function fromDocument(value: Value): JqValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof SourceNumber) return numberOf(value.toString());
  if (isNumber(value)) {
    const plain = value.valueOf();
    return typeof plain === "bigint" ? whole(plain) : Number(plain);
  }
  if (isArray(value)) return value.map(fromDocument);
  if (isObject(value)) return mapped(value, fromDocument);
  // Bytes and timestamps become their JSON strings.
  const parsed = parseJsonText(printJson(value));
  return "value" in parsed && typeof parsed.value === "string" ? parsed.value : null;
}

/** Converts a jq value to a document. */
export function toDocument(value: JqValue): Value {
  if (typeof value === "bigint")
    return value >= minInt64 && value <= maxInt64 ? value : new SourceNumber(String(value));
  if (typeof value === "number")
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : float(value);
  if (isList(value)) return value.map(toDocument);
  return isRecord(value) ? mapped(value, toDocument) : value;
}

function mapped<From, To>(
  object: { readonly [key: string]: From },
  change: (value: From) => To,
): { [key: string]: To } {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** Returns JSON as jq prints it: sorted keys, no infinities, and `null` for NaN. */
export function printJq(value: JqValue): string {
  spend(1);
  switch (typeof value) {
    case "string":
      spend(value.length >> 1);
      // Unlike in documents, U+2028 and U+2029 are not escaped, and U+007F is.
      return quoteJson(value).replace(/\\u2028|\\u2029|\u007f/g, (found) =>
        found === "\u007f" ? "\\u007f" : found.endsWith("8") ? "\u2028" : "\u2029",
      );
    case "number":
      return printNumber(value);
    case "bigint":
      spend(bitsOf(value) >> 3); // The time grows faster than the number of digits.
      return String(value);
    case "boolean":
      return String(value);
  }
  if (value === null) return "null";
  if (isList(value)) return `[${value.map(printJq).join(",")}]`;
  return `{${keysOf(value)
    .map((key) => `${printJq(key)}:${printJq(fieldOf(value, key))}`)
    .join(",")}}`;
}

/** Returns the size of a whole number in bits, at least 64. */
export function bitsOf(value: bigint): number {
  // Most numbers are small, and need no conversion to text.
  return BigInt.asIntN(64, value) === value ? 64 : value.toString(16).length * 4;
}

/** Calls `visit` with the cost of reading or writing each value in `value`. `visit` may throw to stop. */
export function eachCost(value: JqValue, visit: (cost: number) => void): void {
  const pending: Iterator<JqValue>[] = [[value].values()];
  for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
    const { value: each = null, done } = top.next();
    if (done === true) {
      pending.pop();
      continue;
    }
    visit(ownCost(each));
    if (isList(each)) pending.push(each.values());
    else if (isRecord(each)) pending.push(Object.values(each).values());
  }
}

function ownCost(value: JqValue): number {
  if (typeof value === "string") return 1 + (value.length >> 1);
  if (typeof value === "bigint") return bitsOf(value) >> 3;
  if (!isRecord(value)) return 1;
  return Object.keys(value).reduce((sum, key) => sum + 1 + (key.length >> 2), 1);
}

function printNumber(value: number): string {
  if (Number.isNaN(value)) return "null";
  if (!Number.isFinite(value)) return value > 0 ? "1.7976931348623157e+308" : "-1.7976931348623157e+308";
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Returns the beginning of a value, for error messages. */
export function preview(value: JqValue): string {
  const bytes = Buffer.from(printJq(shortened(value, 32)));
  if (bytes.length <= 30) return bytes.toString();
  const trailing =
    typeof value === "string" ? ' ..."' : isList(value) ? " ...]" : isRecord(value) ? " ...}" : " ...";
  let end = 30 - trailing.length;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString() + trailing;
}

/** Returns enough of a value for its first characters, so that a failure costs no more than that. */
function shortened(value: JqValue, most: number): JqValue {
  if (most <= 0) return null;
  if (typeof value === "string") return value.slice(0, 40);
  if (isList(value)) return value.slice(0, 20).map((each) => shortened(each, most - 2));
  if (!isRecord(value)) return value;
  const keys = keysOf(value).slice(0, 10);
  return recordOf(keys.map((key) => [key.slice(0, 40), shortened(fieldOf(value, key), most - 2)]));
}

/** Returns the type and the beginning of a value, for error messages. */
export function described(value: JqValue): string {
  return value === null ? "null" : `${typeOf(value)} (${preview(value)})`;
}

const ranks: Readonly<Record<string, number>> = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  array: 5,
  object: 6,
};

function rankOf(value: JqValue): number {
  return ranks[typeof value === "boolean" ? String(value) : typeOf(value)] ?? 0;
}

/** Compares values: negative, zero or positive. NaN comes before every number. */
export function compare(a: JqValue, b: JqValue): number {
  if (typeof a === "number" && typeof b === "number") return Number.isNaN(a) || a < b ? -1 : a === b ? 0 : 1;
  if (typeof a === "string" && typeof b === "string") {
    spendOnText(a.length < b.length ? a : b);
    return compareUtf8(a, b);
  }
  if (isNumeric(a) && isNumeric(b)) return compareMixed(a, b);
  if (isList(a) && isList(b)) return compareLists(a, b);
  if (isRecord(a) && isRecord(b)) return compareRecords(a, b);
  return rankOf(a) - rankOf(b);
}

/** Compares two exact whole numbers exactly, and other numbers as doubles. */
function compareMixed(a: number | bigint, b: number | bigint): number {
  const isExact = [a, b].every((each) => typeof each === "bigint" || Number.isSafeInteger(each));
  const [left, right] = isExact ? [a, b] : [Number(a), Number(b)];
  if (Number.isNaN(left)) return -1;
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint of the same size are equal.
  return left < right ? -1 : left == right ? 0 : 1;
}

function compareLists(a: readonly JqValue[], b: readonly JqValue[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    spend(1);
    const order = compare(a[index] ?? null, b[index] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares objects by their keys first, then by their values. */
function compareRecords(a: JsonObject, b: JsonObject): number {
  const [keys, others] = [keysOf(a), keysOf(b)];
  const order = compareLists(keys, others);
  if (order !== 0) return order;
  for (const key of keys) {
    const inner = compare(fieldOf(a, key), fieldOf(b, key));
    if (inner !== 0) return inner;
  }
  return 0;
}
