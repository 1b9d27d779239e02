// The text and position that the reference engine reports for a mistake, for callers that compare with it.

import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";

/** Returns `line 1 char 19: missing parameter: index`, positioned just after the end of `span`. */
export function referenceAfter(span: Span, text: string): string {
  return placed(span.source.text, span.end, text);
}

/** Like `referenceAfter`, but positioned at the start of `span`. */
export function referenceAt(span: Span, text: string): string {
  return placed(span.source.text, span.start, text);
}

/**
 * Returns a report function for mistakes in a template. There the reference engine counts characters from the beginning
 * of the text without line numbers: `char 22: unrecognised function 'x'`.
 */
export function reportInTemplate(source: string, report: Report): Report {
  return (code, span, details, related) => {
    if (typeof details !== "object" || details === null || !("reference" in details)) {
      return report(code, span, details, related);
    }
    const reference = withoutLine(source, String(details.reference));
    report(code, span, { ...details, reference }, related);
  };
}

function withoutLine(source: string, reference: string): string {
  return reference.replace(/^line (\d+) char (\d+): /, (_, line: string, column: string) => {
    const before = source.split("\n").slice(0, Number(line) - 1);
    const characters = before.reduce((sum, content) => sum + Buffer.byteLength(content) + 1, 0);
    return `char ${characters + Number(column)}: `;
  });
}

/**
 * Adds line and column as the reference engine counts them: it subtracts byte lengths of lines from a count of code
 * points, so a position after non-ASCII text is too early. This is kept because users compare the messages.
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
