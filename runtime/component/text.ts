// The text of fields, fixed or computed from a message.

import { MappingError, mappingErrorLedBy } from "../errors.ts";
import type { Batch } from "../message/message.ts";

/**
 * The text of a field that supports `${! … }`: fixed, or computed from a message; the function throws a
 * `MappingError`.
 */
export type Text = string | ComputedText;

/** Returns the text for message `index` of `batch`. */
export interface ComputedText {
  (batch: Batch, index: number): string;
  /** The fixed text at its beginning, as far as it is known. */
  readonly beginning?: string;
  /** Whether it is a pattern in which values from messages are matched literally. */
  readonly isLiteralPattern?: boolean;
}

/** Returns the text for message `index` of `batch`. */
export function textOf(text: Text, batch: Batch, index: number): string {
  return typeof text === "string" ? text : text(batch, index);
}

/** As `textOf`, with `prefix` before the text of a failure, like the reference engine. */
export function textLedBy(prefix: string, text: Text, batch: Batch, index: number): string {
  return typeof text === "string" ? text : computedLedBy(prefix, () => text(batch, index));
}

/**
 * Returns the result of `compute`; if the language fails, puts `prefix` before the text of the failure, like the
 * reference engine.
 */
export function computedLedBy<T>(prefix: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw error instanceof MappingError ? mappingErrorLedBy(prefix, error) : error;
  }
}

/** Returns the concatenation of `parts`; fixed if all parts are fixed. */
export function joinText(...parts: readonly Text[]): Text {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  const joined = (batch: Batch, index: number) => parts.map((part) => textOf(part, batch, index)).join("");
  const [first] = parts;
  return typeof first === "string" ? Object.assign(joined, { beginning: first }) : joined;
}
