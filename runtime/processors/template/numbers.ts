// Functions on numbers. Integers wrap at 64 bits; functions whose names end in `f` compute with exact decimals.

import { mostElements, refuseLarger } from "../../mapping/size-limits.ts";
import { spend } from "../jq/run.ts";
import { decimalOf, toFloat, toInteger } from "./casts.ts";
import { printed } from "./print.ts";
import { Float, failure, type Int, int, int64, List, type TemplateValue } from "./values.ts";

export function atoi(text: string): Int {
  return int(decimalOf(text));
}

export function toInt64(value: TemplateValue): Int {
  return int64(toInteger(value));
}

export function toInt(value: TemplateValue): Int {
  return int(toInteger(value));
}

export function toFloat64(value: TemplateValue): Float {
  return new Float(toFloat(value));
}

/** Reads an octal number. */
export function toDecimal(value: TemplateValue): Int {
  const text = printed(value);
  if (!/^[+-]?[0-7]{1,22}$/.test(text)) return int64(0n);
  const magnitude = BigInt(`0o${text.replace(/^[+-]/, "")}`);
  const result = text.startsWith("-") ? -magnitude : magnitude;
  return BigInt.asIntN(64, result) === result ? int64(result) : int64(0n);
}

export function until(count: number): List {
  return untilStep(0, count, count < 0 ? -1 : 1);
}

export function untilStep(start: number, stop: number, step: number): List {
  return new List(
    sequence(start, stop, step).map((value) => int(value)),
    "int",
  );
}

function sequence(start: number, stop: number, step: number): readonly number[] {
  if (stop < start ? step >= 0 : step <= 0) return [];
  const length = Math.ceil((stop - start) / step);
  spend(length);
  refuseLarger("a sequence", length, mostElements);
  return Array.from({ length }, (_, index) => start + index * step);
}

export function seq(...bounds: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = bounds;
  switch (bounds.length) {
    case 1:
      return counted(1, first, first < 1 ? -1 : 1, first < 1 ? -1 : 1);
    case 2:
      return counted(first, second, second < first ? -1 : 1, second < first ? -1 : 1);
    case 3:
      if (third < first && second > 0) return "";
      return counted(first, third, second, third < first ? -1 : 1);
    default:
      return "";
  }
}

function counted(start: number, end: number, step: number, after: number): string {
  return sequence(start, end + after, step).join(" ");
}

export function addOne(value: TemplateValue): Int {
  return int64(toInteger(value) + 1n);
}

export function add(...values: readonly TemplateValue[]): Int {
  return int64(values.reduce((sum, value) => sum + toInteger(value), 0n));
}

export function sub(one: TemplateValue, other: TemplateValue): Int {
  return int64(toInteger(one) - toInteger(other));
}

export function mul(first: TemplateValue, ...others: readonly TemplateValue[]): Int {
  return int64(
    others.reduce((product, value) => BigInt.asIntN(64, product * toInteger(value)), toInteger(first)),
  );
}

export function div(one: TemplateValue, other: TemplateValue): Int {
  return int64(toInteger(one) / divisor(other));
}

export function mod(one: TemplateValue, other: TemplateValue): Int {
  return int64(toInteger(one) % divisor(other));
}

function divisor(value: TemplateValue): bigint {
  const result = toInteger(value);
  if (result === 0n) throw failure("division by zero");
  return result;
}

export function max(first: TemplateValue, ...others: readonly TemplateValue[]): Int {
  return int64([first, ...others].map(toInteger).reduce((one, other) => (other > one ? other : one)));
}

export function min(first: TemplateValue, ...others: readonly TemplateValue[]): Int {
  return int64([first, ...others].map(toInteger).reduce((one, other) => (other < one ? other : one)));
}

export function maxFloat(first: TemplateValue, ...others: readonly TemplateValue[]): Float {
  return new Float(Math.max(...[first, ...others].map(toFloat)));
}

export function minFloat(first: TemplateValue, ...others: readonly TemplateValue[]): Float {
  return new Float(Math.min(...[first, ...others].map(toFloat)));
}

export function ceil(value: TemplateValue): Float {
  return new Float(Math.ceil(toFloat(value)));
}

export function floor(value: TemplateValue): Float {
  return new Float(Math.floor(toFloat(value)));
}

/** Rounds to a number of decimal places. `from`: the fraction from which on it rounds up. */
export function round(value: TemplateValue, places: number, ...from: readonly number[]): Float {
  const power = 10 ** places;
  const digits = power * toFloat(value);
  const fraction = digits - Math.trunc(digits);
  const whole = fraction >= (from[0] ?? 0.5) ? Math.ceil(digits) : Math.floor(digits);
  return new Float(whole / power);
}

/** A decimal number: `digits / 10 ** scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
  /** The number of digits or a little more. Counting them costs more than computing with them. */
  readonly length: number;
}

function decimal(value: TemplateValue): Decimal {
  const number = toFloat(value);
  if (!Number.isFinite(number)) throw failure("decimals cannot be infinite");
  const [mantissa = "0", exponent = "0"] = number.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  const length = whole.length + fraction.length + Math.max(0, -scale);
  spend(length >> 4);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0, length } : { digits, scale, length };
}

function floatOf({ digits, scale, length }: Decimal): Float {
  spend(length >> 2);
  return new Float(Number(`${digits}e${-scale}`));
}

function computed(
  values: readonly TemplateValue[],
  compute: (one: Decimal, other: Decimal) => Decimal,
): Float {
  return floatOf(
    values.map(decimal).reduce((one, other) => {
      const result = compute(one, other);
      spend(result.length >> 4);
      // Numbers this long only arise from very large or small factors.
      if (result.scale > 100_000 || result.length > 100_000) throw failure("a decimal has too many digits");
      return result;
    }),
  );
}

function plus(one: Decimal, other: Decimal, sign: bigint): Decimal {
  const scale = Math.max(one.scale, other.scale);
  const left = one.digits * 10n ** BigInt(scale - one.scale);
  const right = other.digits * 10n ** BigInt(scale - other.scale);
  const length = 1 + scale + Math.max(one.length - one.scale, other.length - other.scale);
  return { digits: left + sign * right, scale, length };
}

export function addOneFloat(value: TemplateValue): Float {
  return computed([value, int(1)], (one, other) => plus(one, other, 1n));
}

export function addFloat(...values: readonly TemplateValue[]): Float {
  return computed([int(0), ...values], (one, other) => plus(one, other, 1n));
}

export function subFloat(first: TemplateValue, ...others: readonly TemplateValue[]): Float {
  return computed([first, ...others], (one, other) => plus(one, other, -1n));
}

export function mulFloat(first: TemplateValue, ...others: readonly TemplateValue[]): Float {
  return computed([first, ...others], (one, other) => ({
    digits: one.digits * other.digits,
    scale: one.scale + other.scale,
    length: one.length + other.length,
  }));
}

/** Divides with sixteen decimal places. */
export function divFloat(first: TemplateValue, ...others: readonly TemplateValue[]): Float {
  return computed([first, ...others], (one, other) => {
    if (other.digits === 0n) throw failure("division by zero");
    const power = 16 + other.scale - one.scale;
    const top = one.digits * 10n ** BigInt(Math.max(power, 0));
    const bottom = other.digits * 10n ** BigInt(Math.max(-power, 0));
    const quotient = top / bottom;
    const remainder = top % bottom;
    const magnitude = (value: bigint) => (value < 0n ? -value : value);
    const isUp = 2n * magnitude(remainder) >= magnitude(bottom);
    const away = one.digits < 0n === other.digits < 0n ? 1n : -1n;
    const length = Math.max(one.length + power - other.length, 0) + 2;
    return { digits: isUp ? quotient + away : quotient, scale: 16, length };
  });
}
