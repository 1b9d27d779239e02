// Where and how the reference engine reports a mistake, for callers that compare with it.

import type { Span } from "../../source/source.ts";

/** `line 1 char 19: missing parameter: index`, placed just after the end of `span`. */
export function referenceAfter(span: Span, text: string): string {
  return placed(span.source.text, span.end, text);
}

/** As `referenceAfter`, placed where `span` starts. */
export function referenceAt(span: Span, text: string): string {
  return placed(span.source.text, span.start, text);
}

/**
 * Line and column as the reference counts them: it takes byte lengths of lines off a count of code
 * points, so a place after non-ASCII text is reported too early. Kept, because users compare texts.
 */
function placed(source: string, at: number, text: string): string {
  let left = [...source.slice(0, at)].length;
  let line = 1;
  for (const content of source.split("\n")) {
    const bytes = Buffer.byteLength(content);
    if (left < bytes + 1) break;
    left -= bytes + 1;
    line++;
  }
  return `line ${line} char ${left + 1}: ${text}`;
}
