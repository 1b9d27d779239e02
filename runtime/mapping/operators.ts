// The operators. `fromLeft` and `fromRight` say in errors where operands came from.

import { MappingError } from "../errors.ts";
import {
  isArray,
  isObject,
  type ObjectValue,
  SizedNumber,
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

/** `a + b`: numbers add up, text is joined. */
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
  // The reference forgot its smaller kinds here, and only here.
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
    // An int64 has no negative zero; adding zero takes the sign away.
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

/** `a / b`, always a float64. */
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

/** `a % b` of both sides cut to int64; the sign is that of `a`. */
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

/** `-value`, which the language defines as `0 - value`. */
export function negate(value: Value, from: string): Value {
  return subtract(0, value, "number literal", from);
}

/** `!value`; only a bool will do. */
export function not(value: Value, from: string): boolean {
  if (typeof value !== "boolean") throw wrongType(from, ["bool"], value);
  return !value;
}

/** An operand of `&&` or `||`: a bool, or a number that is true unless zero. */
export function truth(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (isNumber(value)) return isNonZero(value);
  throw wrongType("", ["bool"], value);
}

/** The reference keeps numbers of messages as they are written, which have a type of their own there. */
function typeShown(value: Value, from: string): string {
  return from.startsWith("field `this") && isNumber(value) ? "json.Number" : nativeTypeName(value);
}

/** Whether a `filter` keeps or a `match` case takes: nothing but `true` does. */
export function isTrue(value: Value): boolean {
  return value === true;
}

/** The condition of an `if` expression: a bool, and null is false. */
export function condition(value: Value, from: string): boolean {
  return value === null ? false : strictCondition(value, from);
}

/** The condition of an `if` statement: a bool. */
export function strictCondition(value: Value, from: string): boolean {
  if (typeof value === "boolean") return value;
  throw new MappingError(
    `${from} resolved to a non-boolean value ${nativeText(value)} (${typeShown(value, from)})`,
  );
}

/** `a == b`. The left side decides what counts as equal; `deleted()` and `nothing()` never are. */
export function equal(a: Value, b: Value): boolean {
  switch (typeof a) {
    case "string":
      return typeof b === "string" ? a === b : isTextLike(b) && a === textOf(b);
    case "number":
      if (typeof b === "number") return a === b;
      break;
    case "boolean":
      if (typeof b === "boolean") return a === b;
      return isNumber(b) && a === isNonZero(b);
  }
  if (a === null) return b === null;
  if (isArray(a)) return isArray(b) && equalArrays(a, b);
  if (isObject(a)) return isObject(b) && equalObjects(a, b);
  if (isTextLike(a)) return isTextLike(b) && textOf(a) === textOf(b);
  const left = numeric(a);
  const right = numeric(b);
  return left !== undefined && right !== undefined && compareNumbers(left, right) === 0;
}

/**
 * `value == other` of any number of others. What a large value has to be compared by is found once, so that many small
 * ones do not each cost its size.
 */
export function equalTo(value: Value): (other: Value) => boolean {
  if (!isObject(value)) {
    const known = isTextLike(value) ? textOf(value) : value;
    return (other) => equal(known, other);
  }
  const keys = Object.keys(value);
  return (other) =>
    isObject(other) &&
    Object.keys(other).length === keys.length &&
    keys.every((key) => Object.hasOwn(other, key) && equal(value[key] ?? null, other[key] ?? null));
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

/** Float64 when one side is; else int64, wrapped, when one side is; else uint64, wrapped. */
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
  if (isTextLike(a) && isTextLike(b)) return compareUtf8(textOf(a), textOf(b));
  const left = numeric(a);
  const right = numeric(b);
  if (left === undefined || right === undefined) throw typeMismatch("compare", a, b, fromLeft, fromRight);
  return compareNumbers(left, right);
}

function isTextLike(value: Value): boolean {
  return typeof value === "string" || value instanceof Uint8Array || value instanceof Timestamp;
}

function equalArrays(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((element, index) => equal(element, b[index] ?? null));
}

function equalObjects(a: ObjectValue, b: ObjectValue): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key] ?? null, b[key] ?? null));
}
