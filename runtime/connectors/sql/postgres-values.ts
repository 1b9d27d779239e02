// What PostgreSQL sends, as values of messages.

import { parseJsonText } from "../../message/json.ts";
import type { Value } from "../../message/value.ts";
import { decodeUtf8 } from "../../text/utf8.ts";

/** Types by their number in `pg_type`. */
const bool = 16;
const bytea = 17;
const integers = new Set([20, 21, 23]);
const floats = new Set([700, 701]);
const date = 1082;
const time = 1083;
const timestamps = new Set([1114, 1184]);

/**
 * The text of a column as a value: integers keep all digits, numerics and JSON stay text, times become RFC 3339, and bytes
 * the text that they are.
 */
export function columnValue(text: string, type: number): Value {
  if (integers.has(type) || floats.has(type)) return numberOf(text);
  if (type === bool) return text === "t";
  if (type === bytea) return decodeUtf8(Buffer.from(text.slice(2), "hex"));
  if (type === date) return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  if (type === time) return `0000-01-01T${text}Z`;
  return timestamps.has(type) ? timeOf(text) : text;
}

/** `Infinity` and `NaN` are no numbers of JSON. */
function numberOf(text: string): Value {
  const parsed = parseJsonText(text);
  return "value" in parsed ? parsed.value : text;
}

/** `2024-01-02 03:04:05.6+02` as RFC 3339; `infinity` and years before 1 stay as they are. */
function timeOf(text: string): string {
  const [, day, clock, sign, hours, minutes = "00"] =
    /^(\d{4}-\d\d-\d\d) ([\d:.]+)(?:([+-])(\d\d)(?::(\d\d))?)?$/.exec(text) ?? [];
  if (day === undefined || clock === undefined) return text;
  const isUtc = sign === undefined || (hours === "00" && minutes === "00");
  return `${day}T${clock}${isUtc ? "Z" : `${sign}${hours}:${minutes}`}`;
}
