// Conversions of values to numbers and texts, by the rules of the libraries that templates use in the reference engine:
// what is not a number counts as zero.

import { readFloat } from "../../mapping/float-text.ts";
import { maxInt64, minInt64 } from "../../mapping/numeric.ts";
import { SourceNumber } from "../../message/value.ts";
import { trimmedEnd } from "../../text/trim.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { printed } from "./print.ts";
import { Float, Int, type TemplateValue } from "./values.ts";

/** Returns an integer in decimal, or with a prefix `0x`, `0o`, `0b` or `0`, up to the largest uint64. */
export function readInteger(text: string): bigint | undefined {
  // Longer texts are out of range, and parsing millions of digits would take long.
  if (text.length > 100) return undefined;
  const [, sign = "", body = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const digits = body.replace(/(?<=[0-9a-fA-FxXoObB])_(?=[0-9a-fA-F])/g, "");
  const isOctal = /^0[0-7]+$/.test(digits);
  if (!isOctal && !/^(?:0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(digits))
    return undefined;
  const magnitude = BigInt(isOctal ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const value = sign === "-" ? -magnitude : magnitude;
  return value >= 2n ** 64n || value < minInt64 ? undefined : value;
}

/** Returns the int64 of a text; `undefined` if it is none. */
export function integerOfText(text: string): bigint | undefined {
  const value = readInteger(text);
  return value === undefined || value > maxInt64 ? undefined : value;
}

/** Returns the float64 of a text; `undefined` if it is none. */
export function floatOfText(text: string): number | undefined {
  const value = readFloat(text);
  return typeof value === "string" ? undefined : value;
}

/** Returns an integer in decimal. Out of range, it is the nearest int64; other texts are zero. */
export function decimalOf(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) return 0n;
  const isNegative = text.startsWith("-");
  if (text.length > 100) return isNegative ? minInt64 : maxInt64;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (value > maxInt64) return maxInt64;
  return value < minInt64 ? minInt64 : value;
}

/** Returns any value as an int64. */
export function toInteger(value: TemplateValue): bigint {
  if (value instanceof Int) return BigInt.asIntN(64, value.value);
  if (value instanceof Float) {
    const whole = Math.trunc(value.value);
    return Math.abs(whole) < 2 ** 63 ? BigInt(whole) : minInt64;
  }
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value !== "string" && !(value instanceof SourceNumber)) return 0n;
  const text = String(value);
  const trimmed = trimmedEnd(text, "0");
  const isWhole = trimmed.endsWith(".") && trimmed !== text;
  return integerOfText(isWhole ? trimmed.slice(0, -1) : text) ?? 0n;
}

/** Returns any value as a float64. */
export function toFloat(value: TemplateValue): number {
  if (value instanceof Int) return Number(value.value);
  if (value instanceof Float) return value.value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" && !(value instanceof SourceNumber)) return 0;
  return floatOfText(String(value)) ?? 0;
}

/** Returns any value as text. */
export function toText(value: TemplateValue): string {
  return value instanceof Uint8Array ? decodeUtf8(value) : printed(value);
}
