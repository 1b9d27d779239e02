// Values as jq has them: whole numbers keep all their digits, others are doubles. And how documents become such values.

import { MappingError } from "../../errors.ts";
import { float, isNumber, maxInt64, minInt64 } from "../../mapping/numeric.ts";
import { parseJsonText, printJson } from "../../message/json.ts";
import { quoteJson, sortedKeys } from "../../message/json-print.ts";
import { isArray, isObject, SourceNumber, type Value } from "../../message/value.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { spend, spendOnText } from "./run.ts";

/** `bigint`: a whole number beyond the safe integers of JavaScript, of any size. Objects and arrays are never changed. */
export type JqValue = null | boolean | number | bigint | string | readonly JqValue[] | JsonObject;

/** Keys are own properties, whatever they are called. */
export interface JsonObject {
  readonly [key: string]: JqValue;
}

/** A failure inside a query, which `catch` gets the value of. */
export class JqError extends MappingError {
  readonly value: JqValue;

  constructor(value: JqValue, message: string) {
    super(message);
    this.value = value;
  }
}

/** A failure whose value is its message. */
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

/** A whole number in the form that its size asks for. */
export function whole(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** The number that a JSON number says, or one in jq's own spelling, such as `.5` or `1.`. */
export function numberOf(text: string): number | bigint {
  return /^-?[0-9]+$/.test(text) && text.length > 15
    ? whole(BigInt(text))
    : Number(text) + (text === "-0" ? 0 : -0);
}

/** The own field of an object; null without one. */
export function fieldOf(object: JsonObject, key: string): JqValue {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

/** An object of these entries; later ones win. */
export function recordOf(entries: Iterable<readonly [string, JqValue]>): JsonObject {
  return Object.fromEntries(entries);
}

/** The keys of an object in the order of their bytes. */
export function keysOf(object: JsonObject): string[] {
  // Their order is all that is asked for.
  const keys = sortedKeys(object as never);
  spend(keys.length >> 1);
  return keys;
}

/** The elements of an array, or of an object in the order of its keys; `undefined` of others. */
export function elementsOf(value: JqValue): readonly JqValue[] | undefined {
  if (isList(value)) return value;
  return isRecord(value) ? keysOf(value).map((key) => fieldOf(value, key)) : undefined;
}

/** The name of a value's type. */
export function typeOf(value: JqValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return "number";
  return isList(value) ? "array" : typeof value;
}

/** A document as jq sees it. */
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
  // Bytes and times are the texts that they are in JSON.
  const parsed = parseJsonText(printJson(value));
  return "value" in parsed && typeof parsed.value === "string" ? parsed.value : null;
}

/** A value of jq as a document. */
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

/** JSON as jq writes it: keys in order, no infinities, `null` for what is not a number. */
export function printJq(value: JqValue): string {
  spend(1);
  switch (typeof value) {
    case "string":
      spend(value.length >> 1);
      // Unlike elsewhere, U+2028 stands as it is and U+007F does not.
      return quoteJson(value).replace(/\\u2028|\\u2029|\u007f/g, (found) =>
        found === "\u007f" ? "\\u007f" : found.endsWith("8") ? "\u2028" : "\u2029",
      );
    case "number":
      return printNumber(value);
    case "bigint":
      spend(bitsOf(value) >> 3); // more digits take longer than in proportion
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

/** Bits of a whole number, at least 64. */
export function bitsOf(value: bigint): number {
  // Small ones, which are most, need no text.
  return BigInt.asIntN(64, value) === value ? 64 : value.toString(16).length * 4;
}

/** What it takes to read or write a value: `visit` gets that of each value in it, and may stop by throwing. */
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

/** What failures show of a value: its beginning. */
export function preview(value: JqValue): string {
  const bytes = Buffer.from(printJq(shortened(value, 32)));
  if (bytes.length <= 30) return bytes.toString();
  const trailing =
    typeof value === "string" ? ' ..."' : isList(value) ? " ...]" : isRecord(value) ? " ...}" : " ...";
  let end = 30 - trailing.length;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString() + trailing;
}

/** Enough of a value for its first characters, so that a failure costs no more than that. */
function shortened(value: JqValue, most: number): JqValue {
  if (most <= 0) return null;
  if (typeof value === "string") return value.slice(0, 40);
  if (isList(value)) return value.slice(0, 20).map((each) => shortened(each, most - 2));
  if (!isRecord(value)) return value;
  const keys = keysOf(value).slice(0, 10);
  return recordOf(keys.map((key) => [key.slice(0, 40), shortened(fieldOf(value, key), most - 2)]));
}

/** A value with its type, for failures. */
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

/** The order of values: negative, zero or positive. What is not a number comes before every number. */
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

/** Two whole numbers exactly, a whole one and another as doubles. */
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

/** By their keys first, then by what they hold. */
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
