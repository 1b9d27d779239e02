// Conversions to specific number types: `.int64()`, `.uint8()`, `.float32()` and so on.

import { MappingError } from "../errors.ts";
import { type SizedKind, SizedNumber, SourceNumber, Unsigned, type Value } from "../message/value.ts";
import { quoteText } from "../text/quoting.ts";
import { notRead, wrongType } from "./failures.ts";
import { readFloat } from "./float-text.ts";
import { float, integer, isFloat, maxInt64, minInt64, numeric, toBigInt, toFloat } from "./numeric.ts";
import { textOf } from "./text.ts";

const maxUint64 = 2n ** 64n - 1n;
const decimal = /^[+-]?[0-9]+$/;
const prefixed = /^([+-]?)(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?[0-7])*)$/;
const separated = /^[+-]?[1-9](?:_?[0-9])*$/;

/** `.int64()`: accepts a whole number, or its text in decimal, `0x`, `0o` or `0b` notation. */
export function int64(target: Value, _from: string): Value {
  return integer(signedInteger(target));
}

/** `.int32()` */
export function int32(target: Value, _from: string): Value {
  return signed(target, "int32", 32);
}

/** `.int16()` */
export function int16(target: Value, _from: string): Value {
  return signed(target, "int16", 16);
}

/** `.int8()` */
export function int8(target: Value, _from: string): Value {
  return signed(target, "int8", 8);
}

/** `.uint64()` */
export function uint64(target: Value, _from: string): Value {
  return new Unsigned(unsignedInteger(target));
}

/** `.uint32()` */
export function uint32(target: Value, _from: string): Value {
  return unsigned(target, "uint32", 32);
}

/** `.uint16()` */
export function uint16(target: Value, _from: string): Value {
  return unsigned(target, "uint16", 16);
}

/** `.uint8()` */
export function uint8(target: Value, _from: string): Value {
  return unsigned(target, "uint8", 8);
}

/** `.float64()`: accepts a number or its text. */
export function float64(target: Value, _from: string): Value {
  return float(floatOf(target, (value) => value));
}

/** `.float32()`: returns the nearest float32. As in the reference engine, a float32 is none of the numbers it accepts. */
export function float32(target: Value, _from: string): Value {
  if (target instanceof SizedNumber && target.numericKind() === "float32")
    throw wrongType("", ["number"], target);
  return new SizedNumber("float32", floatOf(target, Math.fround));
}

function signed(target: Value, kind: SizedKind, bits: number): Value {
  const value = signedInteger(target);
  const most = 2n ** BigInt(bits - 1) - 1n;
  if (value > most) throw outOfReach("large", bits, "signed");
  if (value < -most - 1n) throw outOfReach("small", bits, "signed");
  return new SizedNumber(kind, Number(value));
}

function unsigned(target: Value, kind: SizedKind, bits: number): Value {
  const value = unsignedInteger(target);
  if (value >= 2n ** BigInt(bits)) throw outOfReach("large", bits, "unsigned");
  return new SizedNumber(kind, Number(value));
}

function outOfReach(what: "large" | "small", bits: number, sign: "signed" | "unsigned"): MappingError {
  const article = bits === 8 ? "an" : "a";
  return new MappingError(`value is too ${what} to be cast as ${article} ${bits}-bit ${sign} integer`);
}

/** Returns a whole number, or that which a text spells, as a signed integer of 64 bits. */
export function signedInteger(target: Value): bigint {
  if (isText(target)) return integerOfText(textOf(target), "ParseInt", minInt64, maxInt64);
  if (target instanceof SourceNumber) return integerOfSource(target);
  const value = numeric(target);
  if (value === undefined) throw wrongType("", ["number"], target);
  if (isFloat(value)) return wholeOfFloat(toFloat(value), "a signed", "an", minInt64, maxInt64);
  const exact = toBigInt(value);
  if (exact <= maxInt64) return exact;
  throw new MappingError("unsigned integer value is too large to be cast as a signed integer");
}

function unsignedInteger(target: Value): bigint {
  if (isText(target)) return integerOfText(textOf(target), "ParseUint", 0n, maxUint64);
  if (target instanceof SourceNumber) return notNegative(integerOfSource(target), "signed integer");
  const value = numeric(target);
  if (value === undefined) throw wrongType("", ["number"], target);
  if (!isFloat(value)) return notNegative(toBigInt(value), "signed integer");
  const plain = toFloat(value);
  if (plain < 0) notNegative(-1n, "float");
  return wholeOfFloat(plain, "an unsigned", "an unsigned", 0n, maxUint64);
}

function notNegative(value: bigint, kind: string): bigint {
  if (value >= 0n) return value;
  throw new MappingError(`${kind} value is negative and cannot be cast as an unsigned integer`);
}

function wholeOfFloat(value: number, target: string, infinite: string, least: bigint, most: bigint): bigint {
  if (Number.isNaN(value)) throw new MappingError(`cannot convert NAN to ${infinite} integer`);
  if (!Number.isFinite(value)) throw new MappingError(`cannot convert +/-INF to ${infinite} integer`);
  if (value > Number(most))
    throw new MappingError(`float value is too large to be cast as ${target} integer`);
  if (value < Number(least))
    throw new MappingError(`float value is too small to be cast as ${target} integer`);
  // The largest float that passes so far may be one more than the largest integer.
  if (Number.isInteger(value) && BigInt(value) <= most) return BigInt(value);
  throw new MappingError(
    `float value contains decimals and therefore cannot be cast as ${target} integer, if you intend to round the value then call \`.round()\` explicitly before this cast`,
  );
}

/** A number of the document is an integer only if its text is an integer. */
function integerOfSource(source: SourceNumber): bigint {
  const text = source.toString();
  if (!decimal.test(text)) {
    // The reference engine reads digit by digit, and may report an overflow before it reaches a point or an exponent.
    const [digits = "0"] = /^-?[0-9]+/.exec(text) ?? [];
    inRange(boundedInteger(digits), "ParseInt", text, minInt64, maxInt64);
    throw unreadable("ParseInt", text, "invalid syntax");
  }
  return inRange(boundedInteger(text), "ParseInt", text, minInt64, maxInt64);
}

function integerOfText(text: string, parser: "ParseInt" | "ParseUint", least: bigint, most: bigint): bigint {
  const digits = text.replaceAll("_", "");
  if (parser === "ParseUint" && /^[+-]/.test(text)) throw unreadable(parser, text, "invalid syntax");
  if (separated.test(text))
    return inRange(boundedInteger(digits.replace(/^\+/, "")), parser, text, least, most);
  const [, sign, all] = prefixed.exec(text) ?? [];
  if (all === undefined) throw unreadable(parser, text, "invalid syntax");
  const plain = all.replaceAll("_", "").toLowerCase();
  const [, base, magnitudeDigits = ""] = /^0([xob]?)0*([^0].*)?$/.exec(plain) ?? [];
  const magnitude = boundedInteger(magnitudeDigits || "0", base || "o");
  return inRange(sign === "-" ? -magnitude : magnitude, parser, text, least, most);
}

/**
 * Returns the number that the digits form. They have no leading zeros. If there are more digits than 64 bits can hold,
 * returns a number that is out of range: parsing a long text as a number takes time quadratic in its length.
 */
function boundedInteger(digits: string, base = ""): bigint {
  if (digits.length > 65) return digits.startsWith("-") ? -(2n ** 65n) : 2n ** 65n;
  return BigInt(base === "" ? digits : `0${base}${digits}`);
}

function inRange(value: bigint, parser: string, text: string, least: bigint, most: bigint): bigint {
  if (value >= least && value <= most) return value;
  throw unreadable(parser, text, "value out of range");
}

function floatOf(target: Value, rounded: (value: number) => number): number {
  if (!isText(target) && !(target instanceof SourceNumber)) {
    const value = numeric(target);
    if (value === undefined) throw wrongType("", ["number"], target);
    return rounded(toFloat(value));
  }
  const text = textOf(target);
  const value = readFloat(text, rounded);
  if (typeof value === "string") throw unreadable("ParseFloat", text, value);
  return value;
}

function isText(value: Value): value is string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array;
}

function unreadable(parser: string, text: string, reason: string): MappingError {
  const shown = quoteText(text);
  return new MappingError(
    `strconv.${parser}: parsing ${shown}: ${reason}`,
    notRead(parser, shown, reason),
    notRead(parser, "the text", reason),
  );
}
