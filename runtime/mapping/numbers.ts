// Methods on numbers, and functions that return numbers. Sine, cosine and tangent match the reference engine's library
// to the last digit: its polynomials (Cephes) differ from those of JavaScript engines.

import { MappingError } from "../errors.ts";
import { SizedNumber, Unsigned, type Value } from "../message/value.ts";
import { quoteText } from "../text/quoting.ts";
import { arrayTarget, bigArgument, floatArgument, floatTarget } from "./arguments.ts";
import { beyondFloat, failedOn, notRead, wrongType } from "./failures.ts";
import { readFloat } from "./float-text.ts";
import {
  float,
  integer,
  integerIfFits,
  isFloat,
  isNumber,
  maxInt64,
  minInt64,
  numeric,
  toBigInt,
  toFloat,
  truncate,
} from "./numeric.ts";
import { power } from "./power.ts";
import { mostElements, refuseLarger } from "./size-limits.ts";
import { textOf } from "./text.ts";

const sineTerms = [
  1.5896230157654656e-10, -2.5050747762857807e-8, 2.7557313621385722e-6, -0.00019841269829589539,
  0.008333333333322118, -0.1666666666666663,
];

const cosineTerms = [
  -1.1358536521387682e-11, 2.087570084197473e-9, -2.755731417929674e-7, 2.4801587288851704e-5,
  -0.0013888888888873056, 0.041666666666666595,
];

const tangentAbove = [-13093.693918138379, 1153516.6483858742, -17956525.197648488];

const tangentBelow = [1, 13681.296347069296, -1320892.3444021097, 25008380.18233579, -53869575.59294546];

/**
 * From this angle on, the three-part reduction is no longer exact, and the functions of the JavaScript engine are used.
 */
const largest = 2 ** 29;

/** Returns the sine of an angle in radians. */
function sine(angle: number): number {
  const magnitude = Math.abs(angle);
  if (angle === 0 || !(magnitude < largest)) return Math.sin(angle);
  const { octant, rest } = reduced(magnitude);
  const quarter = octant % 4;
  const value = quarter === 1 || quarter === 2 ? cosineNear(rest) : sineNear(rest);
  return angle < 0 !== octant > 3 ? -value : value;
}

/** Returns the cosine of an angle in radians. */
function cosine(angle: number): number {
  const magnitude = Math.abs(angle);
  if (!(magnitude < largest)) return Math.cos(angle);
  const { octant, rest } = reduced(magnitude);
  const quarter = octant % 4;
  const value = quarter === 1 || quarter === 2 ? sineNear(rest) : cosineNear(rest);
  return octant > 3 !== quarter > 1 ? -value : value;
}

/** Returns the tangent of an angle in radians. */
function tangent(angle: number): number {
  const magnitude = Math.abs(angle);
  if (angle === 0 || !(magnitude < largest)) return Math.tan(angle);
  const { octant, rest } = reduced(magnitude);
  const square = rest * rest;
  const near =
    square > 1e-14
      ? rest + rest * ((square * polynomial(tangentAbove, square)) / polynomial(tangentBelow, square))
      : rest;
  const value = octant % 4 === 2 ? -1 / near : near;
  return angle < 0 ? -value : value;
}

/** Returns the nearest even octant of an angle, and the rest of the angle. */
function reduced(magnitude: number): { readonly octant: number; readonly rest: number } {
  const whole = Math.floor(magnitude * (4 / Math.PI));
  const even = whole + (whole % 2);
  const rest =
    magnitude - even * 0.7853981256484985 - even * 3.774894707930798e-8 - even * 2.6951514290790595e-15;
  return { octant: even % 8, rest };
}

function sineNear(rest: number): number {
  const square = rest * rest;
  return rest + rest * square * polynomial(sineTerms, square);
}

function cosineNear(rest: number): number {
  const square = rest * rest;
  return 1 - 0.5 * square + square * square * polynomial(cosineTerms, square);
}

function polynomial(terms: readonly number[], value: number): number {
  return terms.reduce((sum, term) => sum * value + term, 0);
}

/** `.number(default)`: converts a number, or the text of one, to float64. */
export function number(target: Value, from: string, fallback?: Value): Value {
  const other = fallback === undefined ? undefined : floatArgument("method 'number'", "default", fallback);
  const known = numeric(target);
  if (known !== undefined) return float(toFloat(known));
  const text = typeof target === "string" || target instanceof Uint8Array ? textOf(target) : undefined;
  const parsed = text === undefined ? undefined : readFloat(text);
  if (typeof parsed === "number") return float(parsed);
  if (other !== undefined) return float(other);
  if (parsed === undefined) throw wrongType(from, ["number"], target);
  const shown = quoteText(text ?? "");
  const reference = `strconv.ParseFloat: parsing ${shown}: ${parsed}`;
  const [answer, detail] = [shown, "the text"].map((text) => notRead("ParseFloat", text, parsed));
  throw failedOn(from, reference, answer, detail);
}

/** `.abs()` */
export function abs(target: Value, _from: string): Value {
  const value = numeric(target);
  if (value === undefined) throw wrongType("", ["number", "integer"], target);
  if (value instanceof Unsigned) return value;
  if (isFloat(value)) return float(Math.abs(toFloat(value)));
  const magnitude = toBigInt(value);
  // For the smallest int64, whose negation is out of range, the reference engine returns the largest int64 as a uint64.
  if (magnitude === minInt64) return new Unsigned(maxInt64);
  return integer(magnitude < 0n ? -magnitude : magnitude);
}

/** `.ceil()` */
export function ceil(target: Value, from: string): Value {
  return rounded(target, from, Math.ceil);
}

/** `.floor()` */
export function floor(target: Value, from: string): Value {
  return rounded(target, from, Math.floor);
}

/** `.round()`: rounds halves away from zero. */
export function round(target: Value, from: string): Value {
  return rounded(target, from, (value) => {
    const whole = Math.trunc(value);
    return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
  });
}

/** `.pow(exponent)` */
export function pow(target: Value, _from: string, exponent: Value): Value {
  const given = floatArgument("method 'pow'", "exponent", exponent);
  return float(power(floatTarget(target, ""), given));
}

/** `.log()`: the natural logarithm. */
export function log(target: Value, from: string): Value {
  return float(Math.log(fullNumber(target, from)));
}

/** `.log10()` */
export function log10(target: Value, from: string): Value {
  // Computed from the natural logarithm, as in the reference engine's library, to get the same last digit.
  return float(Math.log(fullNumber(target, from)) * Math.LOG10E);
}

/** `.sin()` */
export function sin(target: Value, _from: string): Value {
  return float(sine(floatTarget(target, "")));
}

/** `.cos()` */
export function cos(target: Value, _from: string): Value {
  return float(cosine(floatTarget(target, "")));
}

/** `.tan()` */
export function tan(target: Value, _from: string): Value {
  return float(tangent(floatTarget(target, "")));
}

/** `pi()` */
export function pi(): Value {
  return Math.PI;
}

/** `.sum()`: the sum of an array as a float64. A number is returned unchanged. */
export function sum(target: Value, from: string): Value {
  if (isNumber(target)) return target;
  const elements = arrayTarget(target, from);
  const unfit = elements.findLastIndex((element) => numeric(element) === undefined);
  if (unfit < 0)
    return float(elements.reduce((total: number, element) => total + toFloat(numeric(element) ?? 0), 0));
  throw new MappingError(`index ${unfit}: ${wrongType("", ["number"], elements[unfit] ?? null).message}`);
}

/** `.max()`: the maximum of an array as a float64. */
export function max(target: Value, from: string): Value {
  return float(extreme(target, from, (value, best) => value > best));
}

/** `.min()`: the minimum of an array as a float64. */
export function min(target: Value, from: string): Value {
  return float(extreme(target, from, (value, best) => value < best));
}

/** `.bitwise_and(value)` */
export function bitwiseAnd(target: Value, from: string, value: Value): Value {
  return integer(int64Target(target, from) & bigArgument("method 'bitwise_and'", "value", value));
}

/** `.bitwise_or(value)` */
export function bitwiseOr(target: Value, from: string, value: Value): Value {
  return integer(int64Target(target, from) | bigArgument("method 'bitwise_or'", "value", value));
}

/** `.bitwise_xor(value)` */
export function bitwiseXor(target: Value, from: string, value: Value): Value {
  return integer(int64Target(target, from) ^ bigArgument("method 'bitwise_xor'", "value", value));
}

/** `range(start, stop, step)`: excludes `stop` and an incomplete last step; `range(0, 10, 3)` is `[0, 3, 6]`. */
export function range(start: Value, stop: Value, step: Value): readonly Value[] {
  const call = "function 'range'";
  const first = bigArgument(call, "start", start);
  const limit = bigArgument(call, "stop", stop);
  const stride = bigArgument(call, "step", step);
  if (stride === 0n) throw new MappingError("step must be greater than or less than 0");
  if (stride < 0n && limit > first) {
    throw new MappingError(`with negative step arg stop (${limit}) must be <= start (${first})`);
  }
  if (stride > 0n && limit <= first) {
    throw new MappingError(`with positive step arg start (${first}) must be < stop (${limit})`);
  }
  const count = Number((limit - first) / stride);
  refuseLarger("range", count, mostElements);
  return Array.from({ length: count }, (_, index) => integer(first + stride * BigInt(index)));
}

/** Logarithms and rounding only accept 64-bit numbers. */
function fullNumber(target: Value, from: string): number {
  if (target instanceof SizedNumber || beyondFloat(target) !== undefined) throw noFullNumber(target, from);
  return floatTarget(target, from);
}

function noFullNumber(target: Value, from: string): MappingError {
  const reason = beyondFloat(target);
  return reason === undefined
    ? wrongType(from, ["number"], target)
    : failedOn(from, `failed to parse number: ${reason}`);
}

function rounded(target: Value, from: string, round: (value: number) => number): Value {
  const value = target instanceof SizedNumber ? undefined : numeric(target);
  if (value === undefined) throw noFullNumber(target, from);
  return isFloat(value) ? integerIfFits(round(toFloat(value))) : value;
}

function floats(target: Value, from: string): readonly number[] {
  return arrayTarget(target, from).map((element, index) => {
    const value = numeric(element);
    if (value !== undefined) return toFloat(value);
    throw failedOn(from, `index ${index} of array: ${wrongType("", ["number"], element).message}`);
  });
}

function extreme(target: Value, from: string, better: (value: number, best: number) => boolean): number {
  const values = floats(target, from);
  const [first] = values;
  if (first === undefined) throw failedOn(from, "the array was empty");
  return values.reduce((best, value) => (better(value, best) ? value : best), first);
}

function int64Target(target: Value, from: string): bigint {
  const value = numeric(target);
  if (value === undefined) throw wrongType(from, ["number"], target);
  return BigInt(truncate(value));
}
