// Converts values to the JSON values that JavaScript libraries accept.

import { parseJsonText, printJson } from "../message/json.ts";
import { isArray, isObject, SourceNumber, type Value } from "../message/value.ts";
import { isNumber } from "./numeric.ts";

/** A JSON value in JavaScript. */
export type PlainJson = null | boolean | number | string | PlainJson[] | { [key: string]: PlainJson };

/** Returns the value with every number as a JavaScript number, and everything else as it is written in JSON. */
export function plainJson(value: Value): PlainJson {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (isNumber(value)) return Number(value instanceof SourceNumber ? value.toString() : value.valueOf());
  if (isArray(value)) return value.map(plainJson);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plainJson(child)]));
  const parsed = parseJsonText(printJson(value));
  return "value" in parsed && typeof parsed.value === "string" ? parsed.value : null;
}

/** Whether a value is an object rather than null or an array. */
export function isPlainObject(value: PlainJson | undefined): value is { [key: string]: PlainJson } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
