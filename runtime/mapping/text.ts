// The text form of values: for `.string()`, interpolation, metadata as text, and `%v`.

import { escapeHtmlCharacters, printJson } from "../message/json.ts";
import { shortestFloat32, sortedKeys } from "../message/json-print.ts";
import { formatTimestamp } from "../message/timestamp.ts";
import {
  deleted,
  isArray,
  isObject,
  nothing,
  SourceNumber,
  Timestamp,
  Unsigned,
  type Value,
  WholeFloat,
} from "../message/value.ts";
import { decodeUtf8, encodeUtf8 } from "../text/utf8.ts";

/** Returns the text of any value. For null, `deleted()` and `nothing()` it is `null`. */
export function textOf(value: Value): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return Number.isInteger(value) ? String(value) : formatFloat(value);
    case "bigint":
    case "boolean":
      return String(value);
  }
  if (isAbsent(value)) return "null";
  if (value instanceof SourceNumber) return value.toString();
  if (value instanceof WholeFloat) return formatFloat(value.valueOf());
  if (value instanceof Unsigned) return String(value.valueOf());
  if (value instanceof Uint8Array) return decodeUtf8(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  // A float32 that is no number, and what holds a NaN or an infinity, have no JSON.
  return escapeHtmlCharacters(printJson(value)) || "null";
}

/** Returns a value as errors of the reference engine show it: `[1 2]`, `map[a:1]`, `<nil>`. */
export function nativeText(value: Value): string {
  if (isAbsent(value)) return "<nil>";
  if (value instanceof Uint8Array) return `[${value.join(" ")}]`;
  if (isArray(value)) return `[${value.map(nativeText).join(" ")}]`;
  if (value instanceof Timestamp) return nativeTime(formatTimestamp(value));
  if (!isObject(value)) return textOf(value);
  return `map[${sortedKeys(value)
    .map((key) => `${key}:${nativeText(value[key] ?? null)}`)
    .join(" ")}]`;
}

/** Returns an RFC 3339 time as `2020-12-31 00:00:00 +0000 UTC`. Zones other than UTC are shown as offsets. */
function nativeTime(text: string): string {
  const isUtc = text.endsWith("Z");
  const offset = isUtc ? "+0000" : text.slice(-6).replace(":", "");
  const clock = text.slice(0, isUtc ? -1 : -6).replace("T", " ");
  return `${clock} ${offset} ${isUtc ? "UTC" : offset}`;
}

/** Whether `value` stands for an absence: null, `deleted()` or `nothing()`. */
export function isAbsent(value: Value): boolean {
  return value === null || value === deleted || value === nothing;
}

/** Returns the bytes of any value: bytes unchanged, otherwise its text as UTF-8. */
export function bytesOf(value: Value): Uint8Array {
  return value instanceof Uint8Array ? value : encodeUtf8(textOf(value));
}

/**
 * Returns a float64 as text: the shortest digits that identify it, with an exponent of at least two digits if the
 * decimal exponent is below -4 or above 5: `123456`, `1e+06`, `0.0001`, `1e-05`.
 */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value);
  return exponentForm(value.toExponential());
}

/** Like `formatFloat`, for a float32, which fewer digits identify. */
export function formatFloat32(value: number): string {
  if (!Number.isFinite(value) || value === 0) return formatFloat(value);
  const magnitude = Math.abs(value);
  const shortest = Number(shortestFloat32(value));
  if (magnitude >= 1e-4 && Math.abs(shortest) < 1e6) return String(shortest);
  return exponentForm(shortest.toExponential());
}

function exponentForm(text: string): string {
  const [digits = "", power = ""] = text.split("e");
  return `${digits}e${power.slice(0, 1)}${power.slice(1).padStart(2, "0")}`;
}
