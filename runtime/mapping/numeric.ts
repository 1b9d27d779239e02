// The numbers of the language, int64, uint64 and float64, and conversions between them.

import { SizedNumber, SourceNumber, Unsigned, type Value, WholeFloat } from "../message/value.ts";

/** A number ready for calculations, with source text converted. */
export type Numeric = number | bigint | WholeFloat | Unsigned;

/** The largest int64. */
export const maxInt64 = 9223372036854775807n;
/** The smallest int64. */
export const minInt64 = -9223372036854775808n;

const integerText = /^[+-]?[0-9]+$/;

/**
 * Returns `value` as a number. An integer text in range becomes an int64. `undefined` if the value is not a number, or
 * if it is a document number beyond the range of float64.
 */
export function numeric(value: Value): Numeric | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof WholeFloat || value instanceof Unsigned) return value;
  if (value instanceof SourceNumber) {
    const number = numericOfText(value.toString());
    return Number.isFinite(toFloat(number)) ? number : undefined;
  }
  return value instanceof SizedNumber ? widened(value) : undefined;
}

/** Converts a number of a smaller type for arithmetic: to int64, uint64 or float64. */
function widened(value: SizedNumber): Numeric {
  const plain = value.valueOf();
  const kind = value.numericKind();
  if (kind === "float32") return float(plain);
  return kind.startsWith("u") ? new Unsigned(BigInt(plain)) : plain;
}

/** Whether `value` is a number of any type. */
export function isNumber(value: Value): value is Numeric | SourceNumber | SizedNumber {
  if (typeof value === "number" || typeof value === "bigint") return true;
  if (value instanceof WholeFloat || value instanceof Unsigned) return true;
  return value instanceof SourceNumber || value instanceof SizedNumber;
}

/** Returns the number of a valid JSON number text: an int64 if it is an integer in range, otherwise a float64. */
export function numericOfText(text: string): Numeric {
  return int64OfText(text) ?? float(Number(text));
}

/** Returns the int64 of a decimal text; `undefined` if it is not an integer or is out of range. */
export function int64OfText(text: string): number | bigint | undefined {
  if (!integerText.test(text)) return undefined;
  if (text.length < 16) return Number(text) + 0;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return value > maxInt64 || value < minInt64 ? undefined : integer(value);
}

/** Returns the uint64 of a decimal text that is larger than every int64; `undefined` for all other texts. */
export function unsignedOfText(text: string): Unsigned | undefined {
  if (text.length < 19 || !integerText.test(text)) return undefined;
  const value = BigInt(text);
  return value > maxInt64 && value < 2n ** 64n ? new Unsigned(value) : undefined;
}

/** Returns an int64 as a value, wrapped into its range. */
export function integer(value: bigint): number | bigint {
  const wrapped = BigInt.asIntN(64, value);
  const small = Number(wrapped);
  return Number.isSafeInteger(small) ? small : wrapped;
}

/** Returns a float64 as a value. */
export function float(value: number): number | WholeFloat {
  return Number.isInteger(value) ? new WholeFloat(value) : value;
}

/** Whether a number is a float64 rather than an integer. */
export function isFloat(value: Numeric): value is number | WholeFloat {
  return value instanceof WholeFloat || (typeof value === "number" && !Number.isInteger(value));
}

/** Returns the nearest float64. */
export function toFloat(value: Numeric): number {
  return Number(value.valueOf());
}

/** Returns the exact integer of an int64 or uint64. */
export function toBigInt(value: Numeric): bigint {
  const plain = value.valueOf();
  return typeof plain === "bigint" ? plain : BigInt(plain);
}

/** Converts to int64 as the language does: cuts off the fraction, and wraps other types. */
export function truncate(value: Numeric): number | bigint {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  if (!isFloat(value)) return integer(toBigInt(value));
  const whole = Math.trunc(toFloat(value));
  if (Number.isSafeInteger(whole)) return whole + 0;
  // Out of range, the processor of the reference engine produces the smallest int64, also for NaN and the infinities.
  return Math.abs(whole) < 2 ** 63 ? integer(BigInt(whole)) : minInt64;
}

/** Returns the result of rounding: an int64 if it fits, otherwise a float64. */
export function integerIfFits(whole: number): number | bigint | WholeFloat {
  if (Number.isSafeInteger(whole)) return whole + 0;
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? integer(BigInt(whole)) : float(whole);
}

/**
 * Returns a negative number, zero or a positive number as `a` is less than, equal to or greater than `b`; NaN if either
 * is NaN.
 */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (isFloat(a) || isFloat(b)) {
    const left = toFloat(a);
    const right = toFloat(b);
    return left === right ? 0 : left < right ? -1 : left > right ? 1 : Number.NaN;
  }
  const left = toBigInt(a);
  const right = toBigInt(b);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Returns a number as a bool: true unless it is zero. Source text is zero only if it is exactly `0`. */
export function isNonZero(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  if (typeof value === "bigint") return value !== 0n;
  if (value instanceof WholeFloat || value instanceof Unsigned || value instanceof SizedNumber)
    return Number(value.valueOf()) !== 0;
  return String(value) !== "0";
}
