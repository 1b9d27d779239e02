// Converts values to and from JSON text.

import {
  escapeHtmlCharacters,
  type ParsedJson,
  parseJson,
  parseJsonText,
  printJson,
} from "../message/json.ts";
import { endOfJson } from "../message/json-fault.ts";
import { printJsonIndented, sortedKeys } from "../message/json-print.ts";
import { isArray, isObject, SourceNumber, type Value } from "../message/value.ts";
import { asBuffer, encodeUtf8 } from "../text/utf8.ts";
import { boolArgument, textArgument, textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { float, isNumber, numeric, toFloat } from "./numeric.ts";
import { formatFloat, textOf } from "./text.ts";

/**
 * `.parse_json(use_number)`: returns the value at the start of the text, and ignores what follows it. Numbers become
 * float64, unless `use_number` keeps their text.
 */
export function parseJsonValue(target: Value, from: string, useNumber?: Value): Value {
  const keep = useNumber !== undefined && boolArgument("method 'parse_json'", "use_number", useNumber);
  const parsed = parseFirstJson(textTarget(target, from));
  if ("reason" in parsed) {
    const text = `failed to parse value as JSON: ${parsed.reason}`;
    throw failedOn(from, text, text, "the text is not JSON");
  }
  return keep ? parsed.value : withFloats(parsed.value, from);
}

/** `.format_json(indent, no_indent, escape_html)`: an empty indent prints the value on one line. */
export function formatJson(
  target: Value,
  from: string,
  indent: Value,
  noIndent: Value,
  escapeHtml: Value,
): Uint8Array {
  const call = "method 'format_json'";
  const unit = textArgument(call, "indent", indent);
  const flat = boolArgument(call, "no_indent", noIndent) || unit === "";
  const escapes = boolArgument(call, "escape_html", escapeHtml);
  const text = flat ? printJson(target) : printJsonIndented(target, unit);
  if (text === "") throw failedOn(from, `json: unsupported value: ${findUnprintable(target)}`);
  return encodeUtf8(escapes ? escapeHtmlCharacters(text) : text);
}

/** Returns the text of the first NaN or infinity in a value; `undefined` if it has none. */
function findUnprintable(value: Value): string | undefined {
  if (isArray(value) || isObject(value)) {
    const parts = isArray(value) ? value : sortedKeys(value).map((key) => value[key] ?? null);
    for (const part of parts) {
      const found = findUnprintable(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const number = numeric(value);
  return number === undefined || Number.isFinite(toFloat(number)) ? undefined : formatFloat(toFloat(number));
}

function parseFirstJson(text: string): ParsedJson {
  const whole = parseJsonText(text);
  if ("value" in whole) return whole;
  const bytes = asBuffer(encodeUtf8(text));
  const end = endOfJson(bytes.toString("latin1"));
  return typeof end === "number" ? parseJson(bytes.subarray(0, end)) : { reason: end };
}

/** Converts every number to float64, as the default parser of the reference engine does. */
function withFloats(value: Value, from: string): Value {
  if (isNumber(value)) {
    const plain = value instanceof SourceNumber ? Number(value.toString()) : Number(value.valueOf());
    if (Number.isFinite(plain)) return float(plain);
    const text = textOf(value);
    const reference = `failed to parse value as JSON: json: cannot unmarshal number ${text} into Go value of type float64`;
    throw failedOn(from, reference, `the number ${text} is out of range`);
  }
  if (isArray(value)) return value.map((element) => withFloats(element, from));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withFloats(child, from)]));
}
