// The operators of jq on two values.

import { mostBytes } from "../../mapping/size-limits.ts";
import { findText, splitText } from "../../text/search.ts";
import { type Run, spend } from "./run.ts";
import {
  bitsOf,
  compare,
  described,
  failure,
  fieldOf,
  isList,
  isNumeric,
  isRecord,
  type JqValue,
  type JsonObject,
  recordOf,
  whole,
} from "./values.ts";

/** An arithmetic operator or a comparison. */
export type JqOperation = (left: JqValue, right: JqValue, run: Run) => JqValue;

/** The operations by their operators. */
export const operations: Readonly<Record<string, JqOperation>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": modulo,
  "==": (left, right) => compare(left, right) === 0,
  "!=": (left, right) => compare(left, right) !== 0,
  "<": (left, right) => compare(left, right) < 0,
  "<=": (left, right) => compare(left, right) <= 0,
  ">": (left, right) => compare(left, right) > 0,
  ">=": (left, right) => compare(left, right) >= 0,
};

/** `a + b` */
export function add(left: JqValue, right: JqValue, run: Run): JqValue {
  if (typeof left === "number" && typeof right === "number") {
    const sum = left + right;
    const isExact = Number.isSafeInteger(sum) || !Number.isSafeInteger(left) || !Number.isSafeInteger(right);
    return isExact ? sum : whole(BigInt(left) + BigInt(right));
  }
  if (isNumeric(left) && isNumeric(right))
    return calculated(
      left,
      right,
      (a, b) => a + b,
      (a, b) => a + b,
    );
  if (typeof left === "string" && typeof right === "string") return joined(left, right);
  if (left === null) return right;
  if (right === null) return left;
  if (isList(left) && isList(right)) {
    run.copy(left.length + right.length);
    return left.length === 0 ? right : right.length === 0 ? left : [...left, ...right];
  }
  if (isRecord(left) && isRecord(right)) {
    const [own, other] = [Object.entries(left), Object.entries(right)];
    run.copy(own.length + other.length);
    return own.length === 0 ? right : other.length === 0 ? left : recordOf([...own, ...other]);
  }
  throw unfit("add", left, right);
}

/** Returns two texts joined. Throws if the result exceeds the limit. */
export function joined(left: string, right: string): string {
  if (left.length + right.length > mostBytes)
    throw failure(`the text is longer than the limit of ${mostBytes} characters`);
  return left + right;
}

function subtract(left: JqValue, right: JqValue, run: Run): JqValue {
  if (typeof left === "number" && typeof right === "number") {
    const rest = left - right;
    const isExact = Number.isSafeInteger(rest) || !Number.isSafeInteger(left) || !Number.isSafeInteger(right);
    return isExact ? rest : whole(BigInt(left) - BigInt(right));
  }
  if (isNumeric(left) && isNumeric(right))
    return calculated(
      left,
      right,
      (a, b) => a - b,
      (a, b) => a - b,
    );
  if (isList(left) && isList(right)) {
    run.step(left.length * (right.length + 1));
    return left.filter((each) => !right.some((other) => compare(each, other) === 0));
  }
  throw unfit("subtract", left, right);
}

function multiply(left: JqValue, right: JqValue, run: Run): JqValue {
  if (isNumeric(left) && isNumeric(right))
    return calculated(
      left,
      right,
      (a, b) => a * b,
      (a, b) => multiplied(a, b),
    );
  if (isRecord(left) && isRecord(right)) return merged(left, right, run);
  if (typeof left === "string" && isNumeric(right)) return repeated(left, Number(right));
  if (typeof right === "string" && isNumeric(left)) return repeated(right, Number(left));
  throw unfit("multiply", left, right);
}

/** The maximum size of whole numbers in bits, because the time of a calculation grows with the square of the size. */
const mostBits = 1_000_000;

function multiplied(a: bigint, b: bigint): bigint {
  if (bitsOf(a) + bitsOf(b) > mostBits) throw failure("the number has too many digits");
  return a * b;
}

function merged(left: JsonObject, right: JsonObject, run: Run): JsonObject {
  const entries = new Map(Object.entries(left));
  run.copy(entries.size);
  for (const [key, value] of Object.entries(right)) {
    const own = entries.get(key);
    entries.set(key, own !== undefined && isRecord(own) && isRecord(value) ? merged(own, value, run) : value);
  }
  return recordOf(entries);
}

function repeated(text: string, times: number): JqValue {
  if (!(times >= 0) || (text !== "" && times > Math.trunc(0x10000000 / Buffer.byteLength(text)))) return null;
  if (text.length * Math.trunc(times) > mostBytes)
    throw failure(`the text is longer than the limit of ${mostBytes} characters`);
  return text === "" ? "" : text.repeat(Math.trunc(times));
}

function divide(left: JqValue, right: JqValue): JqValue {
  if (isNumeric(left) && isNumeric(right)) {
    // biome-ignore lint/suspicious/noDoubleEquals: zero of either kind.
    if (right == 0) throw failure(`cannot divide ${described(left)} by: ${described(right)}`);
    if (!isWhole(left) || !isWhole(right)) return Number(left) / Number(right);
    const [a, b] = [BigInt(left), BigInt(right)];
    spend((bitsOf(a) + bitsOf(b)) >> 3);
    return a % b === 0n ? whole(a / b) : Number(left) / Number(right);
  }
  if (typeof left === "string" && typeof right === "string") return parts(left, right);
  throw unfit("divide", left, right);
}

/** Splits a text by another one. An empty separator splits between characters. */
export function parts(text: string, separator: string): readonly string[] {
  if (text === "") return [];
  return separator === "" ? [...text] : splitText(text, separator);
}

function modulo(left: JqValue, right: JqValue): JqValue {
  if (!isNumeric(left) || !isNumeric(right)) throw unfit("modulo", left, right);
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  const [a, b] = [truncated(left), truncated(right)];
  if (b === 0n) throw failure(`cannot modulo ${described(left)} by: ${described(right)}`);
  spend((bitsOf(a) + bitsOf(b)) >> 3);
  const rest = a % (b < 0n ? -b : b);
  return whole(rest);
}

/** Returns the whole part. For doubles beyond int64, returns the limit of int64. */
function truncated(value: number | bigint): bigint {
  if (typeof value === "bigint") return value;
  if (value >= 2 ** 63) return 2n ** 63n - 1n;
  return value <= -(2 ** 63) ? -(2n ** 63n) : BigInt(Math.trunc(value));
}

function isWhole(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

/** Calculates with doubles if one operand is not an exact whole number, otherwise without loss. */
function calculated(
  left: number | bigint,
  right: number | bigint,
  onFloats: (a: number, b: number) => number,
  onIntegers: (a: bigint, b: bigint) => bigint,
): number | bigint {
  if (!isWhole(left) || !isWhole(right)) return onFloats(Number(left), Number(right));
  if (typeof left === "number" && typeof right === "number") {
    const result = onFloats(left, right);
    if (Number.isSafeInteger(result)) return result;
  }
  const [a, b] = [BigInt(left), BigInt(right)];
  spend((bitsOf(a) + bitsOf(b)) >> 6);
  return whole(onIntegers(a, b));
}

/** `-a` */
export function negate(value: JqValue): JqValue {
  if (!isNumeric(value)) throw failure(`cannot negate: ${described(value)}`);
  return value === 0 ? 0 : typeof value === "bigint" ? whole(-value) : -value;
}

/** `+a` */
export function plus(value: JqValue): JqValue {
  if (!isNumeric(value)) throw failure(`cannot plus: ${described(value)}`);
  return value;
}

/** Whether one value contains another: a part of a text, matching elements for all elements, or matching fields. */
export function contains(whole: JqValue, part: JqValue, run: Run): boolean {
  if (typeof whole === "string" && typeof part === "string") return findText(whole, part) >= 0;
  if (isList(whole) && isList(part)) {
    run.step(whole.length * part.length);
    return part.every((inner) => whole.some((each) => containsQuietly(each, inner, run)));
  }
  if (isRecord(whole) && isRecord(part))
    return Object.entries(part).every(
      ([key, inner]) => Object.hasOwn(whole, key) && containsQuietly(fieldOf(whole, key), inner, run),
    );
  if (isNumeric(whole) && isNumeric(part)) return compare(whole, part) === 0;
  if (whole === part) return true;
  throw unfit1("contains", whole, part);
}

/** Like `contains`, but inside other values, different types return false instead of an error. */
function containsQuietly(whole: JqValue, part: JqValue, run: Run): boolean {
  const isComparable =
    (isList(whole) && isList(part)) ||
    (isRecord(whole) && isRecord(part)) ||
    (typeof whole === typeof part && typeof whole !== "object") ||
    (isNumeric(whole) && isNumeric(part));
  return isComparable
    ? typeof whole === "boolean"
      ? whole === part
      : contains(whole, part, run)
    : whole === part;
}

function unfit(name: string, left: JqValue, right: JqValue): Error {
  return failure(`cannot ${name}: ${described(left)} and ${described(right)}`);
}

/** Returns the error for a function with one argument whose input has the wrong type. */
export function unfit1(name: string, value: JqValue, argument: JqValue): Error {
  return failure(`${name}(${describedShortly(argument)}) cannot be applied to: ${described(value)}`);
}

function describedShortly(value: JqValue): string {
  return value === null
    ? "null"
    : described(value)
        .replace(/^\w+ \(/, "")
        .slice(0, -1);
}
