// Plain YAML scalars as the library of the reference engine reads them: YAML 1.2 with the integers, floats and
// timestamps of 1.1. `yes` and `no` are text.

import { Timestamp, Unsigned, type Value } from "../message/value.ts";
import { float, int64OfText, integer, maxInt64, minInt64 } from "./numeric.ts";

const words: ReadonlyMap<string, Value> = /* @__PURE__ */ new Map<string, Value>([
  ...["", "~", "null", "Null", "NULL"].map((word): [string, Value] => [word, null]),
  ...["true", "True", "TRUE"].map((word): [string, Value] => [word, true]),
  ...["false", "False", "FALSE"].map((word): [string, Value] => [word, false]),
  ...[".nan", ".NaN", ".NAN"].map((word): [string, Value] => [word, Number.NaN]),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word): [string, Value] => [
    word,
    Number.POSITIVE_INFINITY,
  ]),
  ...["-.inf", "-.Inf", "-.INF"].map((word): [string, Value] => [word, Number.NEGATIVE_INFINITY]),
]);
const floats = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const based = /^([-+]?)(0x[0-9a-fA-F]+|0b[01]+|0o[0-7]+|0[0-7]*)$/i;
const dates =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt]| +)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[-+](?:[01]\d|2[0-4]):[0-5]\d)?)?$/;

/** Returns the value of a plain scalar. */
export function plainScalar(text: string): Value {
  if (words.has(text)) return words.get(text) ?? null;
  const first = text.charAt(0);
  if (!/[-+.0-9]/.test(first)) return text;
  return (
    timestampOf(text) ?? integerOf(text.replaceAll("_", "")) ?? floatOf(text.replaceAll("_", "")) ?? text
  );
}

/** Returns the integer of a text in base 10, 16, 8 or 2; `undefined` if it is not one. */
export function integerOf(text: string): Value | undefined {
  const found = based.exec(text);
  if (found === null) {
    if (!/^[-+]?[0-9]+$/.test(text) || /^[-+]?0[0-9]/.test(text)) return undefined;
    return int64OfText(text) ?? unsignedOf(text);
  }
  const digits = (found[2] ?? "0").toLowerCase();
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = found[1] === "-" ? -magnitude : magnitude;
  if (value < minInt64) return undefined;
  return value > maxInt64 ? unsignedOf(String(value)) : integer(value);
}

/** Returns the float64 of a text; `undefined` if it is not a finite one. */
export function floatOf(text: string): Value | undefined {
  if (!floats.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? float(value) : undefined;
}

function unsignedOf(text: string): Value | undefined {
  const value = BigInt(text.replace("+", ""));
  return value >= 0n && value < 2n ** 64n ? new Unsigned(value) : undefined;
}

function timestampOf(text: string): Value | undefined {
  const found = dates.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, separator, hour = "0", minute = "0", second = "0", fraction = "", zone] = found;
  // With a `T`, the zone is required; with a space, it is not allowed.
  if (separator !== undefined && /t/i.test(separator) !== (zone !== undefined)) return undefined;
  const numbers = [year, month, day, hour, minute, second].map(Number);
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = numbers;
  const date = new Date(Date.UTC(years, months - 1, days, hours, minutes, seconds));
  const exists = date.getUTCMonth() === months - 1 && date.getUTCDate() === days;
  if (!exists || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const shift = zone === undefined || zone === "Z" ? 0 : offsetSeconds(zone);
  const name = zone === undefined || zone === "Z" ? "UTC" : zone;
  return new Timestamp(
    BigInt(date.getTime() / 1000 - shift),
    Number(fraction.slice(0, 9).padEnd(9, "0")),
    name,
  );
}

function offsetSeconds(zone: string): number {
  const size = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4)) * 60;
  return zone.startsWith("-") ? -size : size;
}
