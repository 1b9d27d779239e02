// JSON in and out, keeping what JavaScript's own JSON would lose.
import { asBuffer, decodeUtf8 } from "../text/utf8.ts";
import { encodeJson } from "./json-bytes.ts";
import { jsonFault } from "./json-fault.ts";
import { hasSpecialNumbers, parseExactly } from "./json-numbers.ts";
import { quoteJson } from "./json-print.ts";
import { isArray, isObject, type Value } from "./value.ts";

/** What a text is as JSON: its value, or why it has none. */
export type ParsedJson = { readonly value: Value } | { readonly reason: string };

const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Parses a whole JSON text; numbers whose text JavaScript would change become `SourceNumber`. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  if (bytes.length === 0) return { reason: "message is empty" };
  const buffer = asBuffer(bytes);
  // Without an argument Node takes a shorter way to the same text.
  return parseJsonText(buffer.toString());
}

/** As `parseJson`, for text. */
export function parseJsonText(text: string): ParsedJson {
  try {
    const value: Value = hasSpecialNumbers(text) ? parseExactly(text) : JSON.parse(text);
    return { value: hasSurrogateEscapes(text) ? withoutLoneSurrogates(value) : value };
  } catch (error) {
    if (error instanceof SyntaxError) return { reason: `parse as json: ${jsonFault(text)}` };
    throw error;
  }
}

/** Whether `JSON.parse` makes of a JSON text what `parseJsonText` does. */
export function isPlainJson(text: string): boolean {
  return !hasSpecialNumbers(text) && !hasSurrogateEscapes(text);
}

function hasSurrogateEscapes(text: string): boolean {
  return text.includes("\\u") && surrogateEscape.test(text);
}

/**
 * Compact JSON with keys sorted by their UTF-8 bytes. A NaN or an infinity anywhere makes all of it the
 * empty text, as in the reference.
 */
export function printJson(value: Value): string {
  return typeof value === "string" ? quoteJson(value) : decodeUtf8(encodeJson(value));
}

/** The JSON text with `<`, `>` and `&` written as escapes. */
export function escapeHtmlCharacters(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
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
