// JSON in and out, keeping what JavaScript's own JSON would lose.

import { jsonFault } from "./json-fault.ts";
import { hasSpecialNumbers, parseExactly } from "./json-numbers.ts";
import { printJsonSlowly } from "./json-print.ts";
import { compareUtf8 } from "./utf8.ts";
import { isArray, isObject, type Value } from "./value.ts";

/** What a text is as JSON: its value, or why it has none. */
export type ParsedJson = { readonly value: Value } | { readonly reason: string };

const surrogateEscape = /\\u[dD][89a-fA-F]/;
const lineSeparator = /[\u2028\u2029]/;
/** How deep to look for native values; what is nested deeper is left to the printer that cannot run out of stack. */
const nativeDepth = 200;

/** Parses a whole JSON text; numbers whose text JavaScript would change become `SourceNumber`. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  if (bytes.length === 0) return { reason: "message is empty" };
  return parseJsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
}

/** As `parseJson`, for text. */
export function parseJsonText(text: string): ParsedJson {
  try {
    const value: Value = hasSpecialNumbers(text) ? parseExactly(text) : JSON.parse(text);
    const escaped = text.includes("\\u") && surrogateEscape.test(text);
    return { value: escaped ? withoutLoneSurrogates(value) : value };
  } catch (error) {
    if (error instanceof SyntaxError) return { reason: `parse as json: ${jsonFault(text)}` };
    throw error;
  }
}

/**
 * Compact JSON with keys sorted by their UTF-8 bytes. A NaN or an infinity anywhere makes all of it the
 * empty text, as in the reference.
 */
export function printJson(value: Value): string {
  if (isNative(value, 0)) {
    const text = JSON.stringify(value);
    if (!text.includes("\\ud") && !lineSeparator.test(text)) return text;
  }
  return printJsonSlowly(value);
}

/** The JSON text with `<`, `>` and `&` written as escapes. */
export function escapeHtmlCharacters(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Whether `JSON.stringify` prints the value as wanted, but for rare characters: sorted, nothing special. */
function isNative(value: Value, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (depth === nativeDepth) return false;
  if (isArray(value)) {
    for (const element of value)
      if (typeof element !== "string" && !isNative(element, depth + 1)) return false;
    return true;
  }
  if (!isObject(value)) return false;
  let previous = "";
  for (const key in value) {
    if (compareUtf8(key, previous) < 0) return false;
    previous = key;
    const child = value[key] ?? null;
    if (typeof child !== "string" && !isNative(child, depth + 1)) return false;
  }
  return true;
}

/** Half a surrogate pair written as an escape reads as U+FFFD; left alone it would stand for a byte here. */
function withoutLoneSurrogates(value: Value): Value {
  if (typeof value === "string") return value.toWellFormed();
  if (isArray(value)) return value.map(withoutLoneSurrogates);
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, child]) => [key.toWellFormed(), withoutLoneSurrogates(child)]),
  );
}
