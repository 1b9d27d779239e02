// Where and how the reference engine reports a mistake, for callers that compare with it.

import type { Report } from "../../diagnostics/sink.ts";
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
 * A report for the mistakes in a template: there the reference counts characters from the beginning of the text,
 * as in `char 22: unrecognised function 'x'`, and knows no lines.
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
