// Text of fields, fixed or computed from a message.

import { GatewayError, ledBy } from "../errors.ts";
import type { Batch } from "../message/message.ts";

/** Text of a field that takes `${! … }`: fixed, or computed from a message; throws `MappingError`. */
export type Text = string | ComputedText;

/** Gives the text for message `index` of `batch`. */
export interface ComputedText {
  (batch: Batch, index: number): string;
  /** What is fixed at its beginning, as far as that is known. */
  readonly beginning?: string;
  /** Whether it is a pattern in which what messages give stands for itself alone. */
  readonly isLiteralPattern?: boolean;
}

/** The text for message `index` of `batch`. */
export function textOf(text: Text, batch: Batch, index: number): string {
  return typeof text === "string" ? text : text(batch, index);
}

/** The same, with `prefix` in front of the text of a failure, as the reference engine has it. */
export function textLedBy(prefix: string, text: Text, batch: Batch, index: number): string {
  return computedLedBy(prefix, () => textOf(text, batch, index));
}

/** What `compute` gives; `prefix` stands in front of the text of its failure, as the reference engine has it. */
export function computedLedBy<T>(prefix: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw error instanceof GatewayError ? ledBy(prefix, error) : error;
  }
}

/** One text after the other; fixed when all are. */
export function joinText(...parts: readonly Text[]): Text {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  const joined = (batch: Batch, index: number) => parts.map((part) => textOf(part, batch, index)).join("");
  const [first] = parts;
  return typeof first === "string" ? Object.assign(joined, { beginning: first }) : joined;
}
