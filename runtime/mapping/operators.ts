// The operators. `fromLeft` and `fromRight` name the origins of the operands in errors.

import { MappingError } from "../errors.ts";
import {
  isArray,
  isObject,
  type ObjectValue,
  SizedNumber,
  SourceNumber,
  Timestamp,
  Unsigned,
  type Value,
  WholeFloat,
} from "../message/value.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { failedOn, typeMismatch, wrongType } from "./failures.ts";
import { nativeTypeName } from "./kinds.ts";
import {
  compareNumbers,
  float,
  integer,
  isFloat,
  isNonZero,
  isNumber,
  type Numeric,
  numeric,
  toBigInt,
  toFloat,
  truncate,
} from "./numeric.ts";
import { nativeText, textOf } from "./text.ts";

/** `a + b`: adds numbers, and concatenates text. */
export function add(a: Value, b: Value, fromLeft: string, fromRight: string): Value {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (!Number.isInteger(sum)) return sum;
    if (!Number.isInteger(a) || !Number.isInteger(b)) return new WholeFloat(sum);
    return Number.isSafeInteger(sum) ? sum : integer(BigInt(a) + BigInt(b));
  }
  if (typeof a === "string" && typeof b === "string") return a + b;
  const left = numeric(a);
  const right = numeric(b);
  // Only for addition, the reference engine does not support its smaller number types on the left side.
  if (left !== undefined && right !== undefined && !(a instanceof SizedNumber)) {
    return calculate(
      left,
      right,
      (x, y) => x + y,
      (x, y) => x + y,
    );
  }
  if (isText(a) && (isText(b) || b instanceof Timestamp)) return textOf(a) + textOf(b);
  throw typeMismatch("add", a, b, fromLeft, fromRight);
}

/** `a - b` */
export function subtract(a: Value, b: Value, fromLeft: string, fromRight: string): Value {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (!Number.isInteger(difference)) return difference;
    if (!Number.isInteger(a) || !Number.isInteger(b)) return new WholeFloat(difference);
    return Number.isSafeInteger(difference) ? difference : integer(BigInt(a) - BigInt(b));
  }
  const [left, right] = operands("subtract", a, b, fromLeft, fromRight);
  return calculate(
    left,
    right,
    (x, y) => x - y,
    (x, y) => x - y,
  );
}

/** `a * b` */
export function multiply(a: Value, b: Value, fromLeft: string, fromRight: string): Value {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (!Number.isInteger(product)) return product;
    if (!Number.isInteger(a) || !Number.isInteger(b)) return new WholeFloat(product);
    // An int64 has no negative zero: adding zero removes the sign.
    return Number.isSafeInteger(product) ? product + 0 : integer(BigInt(a) * BigInt(b));
  }
  const [left, right] = operands("multiply", a, b, fromLeft, fromRight);
  return calculate(
    left,
    right,
    (x, y) => x * y,
    (x, y) => x * y,
  );
}

/** `a / b`: always a float64. */
export function divide(a: Value, b: Value, fromLeft: string, fromRight: string): Value {
  const [left, right] = operands("divide", a, b, fromLeft, fromRight);
  const divisor = toFloat(right);
  if (divisor === 0)
    throw failedOn(
      fromRight,
      "attempted to divide by zero",
      "attempted to divide by zero",
      "attempted to divide by zero",
    );
  return float(toFloat(left) / divisor);
}

/** `a % b`: converts both sides to int64. The result has the sign of `a`. */
export function modulo(a: Value, b: Value, fromLeft: string, fromRight: string): Value {
  const [left, right] = operands("modulo", a, b, fromLeft, fromRight);
  const dividend = truncate(left);
  const divisor = truncate(right);
  if (Number(divisor) === 0)
    throw failedOn(
      fromRight,
      "attempted to divide by zero",
      "attempted to divide by zero",
      "attempted to divide by zero",
    );
  if (typeof dividend === "number" && typeof divisor === "number") return (dividend % divisor) + 0;
  return integer(BigInt(dividend) % BigInt(divisor));
}

/** `-value`: defined by the language as `0 - value`. */
export function negate(value: Value, from: string): Value {
  return subtract(0, value, "number literal", from);
}

/** `!value`: accepts only a bool. */
export function not(value: Value, from: string): boolean {
  if (typeof value !== "boolean") throw wrongType(from, ["bool"], value);
  return !value;
}

/** Returns an operand of `&&` or `||`: a bool, or a number, which is true unless it is zero. */
export function truth(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (isNumber(value)) return isNonZero(value);
  throw wrongType("", ["bool"], value);
}

/** Returns the type for an error. The reference engine keeps document numbers as text, in a type of their own. */
function typeShown(value: Value, from: string): string {
  return from.startsWith("field `this") && isNumber(value) ? "json.Number" : nativeTypeName(value);
}

/** Whether `filter` keeps an element, or a `match` case applies: only for `true`. */
export function isTrue(value: Value): boolean {
  return value === true;
}

/** Returns the condition of an `if` expression: a bool; null is false. */
export function condition(value: Value, from: string): boolean {
  return value === null ? false : strictCondition(value, from);
}

/** Returns the condition of an `if` statement: a bool. */
export function strictCondition(value: Value, from: string): boolean {
  if (typeof value === "boolean") return value;
  throw new MappingError(
    `${from} resolved to a non-boolean value ${nativeText(value)} (${typeShown(value, from)})`,
  );
}

/** `a == b`: the left side determines how to compare. `deleted()` and `nothing()` are never equal to anything. */
export function equal(a: Value, b: Value): boolean {
  const type = typeof a;
  if (type !== "object" && type === typeof b) return a === b;
  return equalWithin(spelled(a), type === "boolean" ? b : spelled(b));
}

/** Returns a number beyond the range of float64 as a text: operators compare it as one. */
function spelled(value: Value): Value {
  return value instanceof SourceNumber && numeric(value) === undefined ? textOf(value) : value;
}

/**
 * Like `equal`, for values inside arrays and objects: a number beyond the range of float64 equals the text that spells
 * it, and nothing equals such a number.
 */
function equalWithin(a: Value, b: Value): boolean {
  if (typeof a === "boolean") return typeof b === "boolean" ? a === b : isNumber(b) && a === isNonZero(b);
  if (a === null) return b === null;
  if (isArray(a)) return isArray(b) && equalArrays(a, b);
  if (isObject(a)) return isObject(b) && equalToObject(a)(b);
  if (isTextLike(a)) return isTextLike(b) && textOf(a) === textOf(b);
  const left = numeric(a);
  if (left === undefined) return isNumber(a) && isTextLike(b) && textOf(a) === textOf(b);
  const right = numeric(b);
  return right !== undefined && compareNumbers(left, right) === 0;
}

/**
 * Returns a function that compares values with `value` as methods do. It prepares a large value once, so that comparing
 * many small values does not repeat that cost.
 */
export function equalTo(value: Value): (other: Value) => boolean {
  if (isObject(value)) return equalToObject(value);
  const known = isTextLike(value) ? textOf(value) : value;
  return (other) => equalWithin(known, other);
}

/** As in the reference engine, a field that the other object lacks counts as null. */
function equalToObject(value: ObjectValue): (other: Value) => boolean {
  const keys = Object.keys(value);
  return (other) =>
    isObject(other) &&
    Object.keys(other).length === keys.length &&
    keys.every((key) =>
      equalWithin(value[key] ?? null, (Object.hasOwn(other, key) ? other[key] : undefined) ?? null),
    );
}

/** `a < b` */
export function less(a: Value, b: Value, fromLeft: string, fromRight: string): boolean {
  if (typeof a === "number" && typeof b === "number") return a < b;
  return order(a, b, fromLeft, fromRight) < 0;
}

/** `a <= b` */
export function lessOrEqual(a: Value, b: Value, fromLeft: string, fromRight: string): boolean {
  if (typeof a === "number" && typeof b === "number") return a <= b;
  return order(a, b, fromLeft, fromRight) <= 0;
}

/** `a > b` */
export function greater(a: Value, b: Value, fromLeft: string, fromRight: string): boolean {
  if (typeof a === "number" && typeof b === "number") return a > b;
  return order(a, b, fromLeft, fromRight) > 0;
}

/** `a >= b` */
export function greaterOrEqual(a: Value, b: Value, fromLeft: string, fromRight: string): boolean {
  if (typeof a === "number" && typeof b === "number") return a >= b;
  return order(a, b, fromLeft, fromRight) >= 0;
}

function isText(value: Value): value is string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array;
}

function operands(
  verb: string,
  a: Value,
  b: Value,
  fromLeft: string,
  fromRight: string,
): readonly [Numeric, Numeric] {
  const left = numeric(a);
  const right = numeric(b);
  if (left === undefined || right === undefined) throw typeMismatch(verb, a, b, fromLeft, fromRight);
  return [left, right];
}

/**
 * Calculates in float64 if one side is float64; otherwise in int64 if one side is int64; otherwise in uint64. Integers
 * wrap.
 */
function calculate(
  left: Numeric,
  right: Numeric,
  floats: (x: number, y: number) => number,
  integers: (x: bigint, y: bigint) => bigint,
): Value {
  if (isFloat(left) || isFloat(right)) return float(floats(toFloat(left), toFloat(right)));
  const result = integers(toBigInt(left), toBigInt(right));
  return left instanceof Unsigned && right instanceof Unsigned ? new Unsigned(result) : integer(result);
}

function order(a: Value, b: Value, fromLeft: string, fromRight: string): number {
  if (isTextLike(b) && isTextLike(spelled(a))) return compareUtf8(textOf(a), textOf(b));
  const left = numeric(a);
  const right = numeric(b);
  if (left === undefined || right === undefined) throw typeMismatch("compare", a, b, fromLeft, fromRight);
  return compareNumbers(left, right);
}

function isTextLike(value: Value): boolean {
  return typeof value === "string" || value instanceof Uint8Array || value instanceof Timestamp;
}

function equalArrays(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((element, index) => equalWithin(element, b[index] ?? null));
}
