// Patterns that are partly computed: what messages give in them stands for itself.

import { type Text, textOf } from "../component/text.ts";
import type { Limit } from "../process/environment-limits.ts";
import { unfit } from "./computed-text.ts";

/** A part of a pattern: the document's or the operator's text, or what a message gives. */
export type PatternPart = Text | { readonly given: Text };

/**
 * The pattern that the parts make. Computing it throws a `GatewayError` (422) where a part that a message gives is not of
 * the form, which leaves out what patterns know.
 */
export function patternText(form: Limit<string>, parts: readonly PatternPart[]): Text {
  const literal = (text: string): string => {
    if (form.accepts(text)) return text;
    throw unfit(`A value in a pattern is not ${form.expected}`);
  };
  return Object.assign(
    (...place: [batch: Parameters<typeof textOf>[1], index: number]) =>
      parts
        .map((part) =>
          typeof part === "object" ? literal(textOf(part.given, ...place)) : textOf(part, ...place),
        )
        .join(""),
    { isLiteralPattern: true },
  );
}
