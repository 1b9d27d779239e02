// Builds partly computed patterns, in which values from messages are matched literally.

import { type Text, textOf } from "../component/text.ts";
import type { EnvironmentLimit } from "../process/environment-limits.ts";
import { unfit } from "./computed-text.ts";

/** A part of a pattern: text of the document or the operator, or a value from a message. */
export type PatternPart = Text | { readonly given: Text };

/**
 * Returns the pattern that consists of `parts`. Computing it throws a `GatewayError` (422) if a value from a message
 * does not have the form `form`, which excludes the special characters of patterns.
 */
export function patternText(form: EnvironmentLimit<string>, parts: readonly PatternPart[]): Text {
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
