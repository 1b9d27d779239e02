// Avro's logical types: times, dates and decimals stored as numbers and bytes.

import { MappingError } from "../../errors.ts";
import { integer, numeric } from "../../mapping/numeric.ts";
import { textOf } from "../../mapping/text.ts";
import { rfc3339Layout } from "../../mapping/time-layouts.ts";
import { parseTime } from "../../mapping/time-parsing.ts";
import { Timestamp, type Value } from "../../message/value.ts";
import { requireBytes, wholeNumber } from "./primitives.ts";
import { type AvroType, mismatch } from "./type.ts";

/** The number of units per second. */
const perSecond: ReadonlyMap<string, bigint> = /* @__PURE__ */ new Map([
  ["timestamp-millis", 1000n],
  ["timestamp-micros", 1_000_000n],
]);

/** The digits of a decimal, its decimal places, and its size in bytes if that is fixed, otherwise 0. */
export interface DecimalShape {
  readonly precision: number;
  readonly scale: number;
  readonly size: number;
}

/** Returns the logical type. If `meaning` is unknown, returns the type itself. */
export function withMeaning(type: AvroType, meaning: string, decimal: DecimalShape): AvroType {
  const { name } = type;
  const units = perSecond.get(meaning);
  if (name === "long" && units !== undefined) return instantType(type, meaning, units);
  if (name === "int" && meaning === "date") return dateType(type);
  if (name === "int" && meaning === "time-millis") return timeType(type, meaning, 1_000_000n);
  if (name === "long" && meaning === "time-micros") return timeType(type, meaning, 1000n);
  if (meaning === "decimal") return decimalType(type, decimal);
  return type;
}

/**
 * Returns a logical type whose values are those of the type beneath it, as in Avro's JSON encoding. The other values of
 * `logical`, such as texts of instants, can be written too.
 */
export function asEncoded(type: AvroType, logical: AvroType): AvroType {
  return {
    ...type,
    name: logical.name,
    write: (value, writer) => (type.accepts(value) ? type : logical).write(value, writer),
    accepts: (value) => type.accepts(value) || logical.accepts(value),
  };
}

/** Returns the type under another name, with its values converted. */
function over(
  type: AvroType,
  name: string,
  {
    from,
    to,
    ...rest
  }: Pick<AvroType, "schema" | "accepts"> & {
    readonly from: (inner: Value) => Value;
    readonly to: (value: Value) => Value;
  },
): AvroType {
  return {
    name,
    read: (reader) => from(type.read(reader)),
    write: (value, writer) => type.write(to(value), writer),
    fromJson: (json) => from(type.fromJson(json)),
    toJson: (value) => type.toJson(to(value)),
    ...rest,
  };
}

function instantType(type: AvroType, meaning: string, units: bigint): AvroType {
  return over(type, `long.${meaning}`, {
    from(inner) {
      const count = wholeNumber(meaning, 64, inner);
      const seconds = floorDivide(count, units);
      return new Timestamp(seconds, Number((count - seconds * units) * (1_000_000_000n / units)), "UTC");
    },
    to(value) {
      const at = instantOf(value);
      if (at === undefined) return value;
      return integer(at.seconds() * units + (BigInt(at.nanoseconds()) * units) / 1_000_000_000n);
    },
    schema: () => ({ type: "string", format: "date-time" }),
    accepts: (value) => instantOf(value) !== undefined || type.accepts(value),
  });
}

function dateType(type: AvroType): AvroType {
  return over(type, "int.date", {
    from: (inner) => new Timestamp(wholeNumber("date", 32, inner) * 86400n, 0, "UTC"),
    to(value) {
      const at = instantOf(value);
      return at === undefined ? value : Number(floorDivide(at.seconds(), 86400n));
    },
    schema: () => ({ type: "string", format: "date-time" }),
    accepts: (value) => instantOf(value) !== undefined || type.accepts(value),
  });
}

/** Returns the type of a time of day, in nanoseconds. The encoded number is in the unit of the type. */
function timeType(type: AvroType, meaning: string, nanoseconds: bigint): AvroType {
  return over(type, `${type.name}.${meaning}`, {
    from: (inner) => integer(wholeNumber(meaning, 64, inner) * nanoseconds),
    to: (value) => value,
    schema: () => ({ type: "integer" }),
    accepts: type.accepts,
  });
}

/** Returns a timestamp, or the instant of an RFC 3339 text; `undefined` for other values. */
function instantOf(value: Value): Timestamp | undefined {
  if (value instanceof Timestamp) return value;
  if (typeof value !== "string") return undefined;
  try {
    return parseTime(rfc3339Layout, value);
  } catch (error) {
    if (error instanceof MappingError) return undefined;
    throw error;
  }
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}

/**
 * Returns the type of decimals. Values are exact fractions, as texts such as `3/2`. Also accepts numbers and texts such
 * as `1.5`.
 */
function decimalType(type: AvroType, { precision, scale, size }: DecimalShape): AvroType {
  const unit = 10n ** BigInt(scale);
  return over(type, type.name === "bytes" ? "bytes.decimal" : type.name, {
    from: (inner) => fractionText(signedOf(requireBytes("decimal", inner)), unit),
    to(value) {
      const units = unitsOf(value, unit);
      if (String(units).replace("-", "").length > precision)
        throw new MappingError(`avro: decimal expects at most ${precision} digits, got ${units}`);
      return signedBytes(units, size);
    },
    schema: () => ({ type: "string" }),
    accepts: (value) => numeric(value) !== undefined || typeof value === "string",
  });
}

function fractionText(units: bigint, unit: bigint): string {
  const divisor = commonDivisor(units < 0n ? -units : units, unit);
  return `${units / divisor}/${unit / divisor}`;
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}

/** The longest text of a decimal that is accepted. */
const longestDecimal = 400;

function unitsOf(value: Value, unit: bigint): bigint {
  if (numeric(value) === undefined && typeof value !== "string")
    throw mismatch("decimal", "a number or a text of one", value);
  const text = textOf(value).slice(0, longestDecimal);
  const fraction = /^(-?\d+)\/([1-9]\d*)$/.exec(text);
  if (fraction !== null) return floorDivide(BigInt(fraction[1] ?? 0) * unit, BigInt(fraction[2] ?? 1));
  const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d{1,3}))?$/.exec(text);
  if (decimal === null) throw mismatch("decimal", "a number or a text of one", value);
  const [, sign = "", whole = "", digits = "", power = "0"] = decimal;
  const shift = BigInt(Number(power) - digits.length);
  const scaled = BigInt(whole + digits) * unit;
  const units = shift < 0n ? scaled / 10n ** -shift : scaled * 10n ** shift;
  return sign === "-" ? -units : units;
}

function signedOf(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
}

/** Returns a big-endian two's complement number of at least `least` bytes. */
function signedBytes(value: bigint, least: number): Uint8Array {
  let length = Math.max(least, 1);
  while (BigInt.asIntN(length * 8, value) !== value) length++;
  const hex = BigInt.asUintN(length * 8, value)
    .toString(16)
    .padStart(length * 2, "0");
  return Buffer.from(hex, "hex");
}
