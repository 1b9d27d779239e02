// The text and position that the reference engine reports for a mistake, for callers that compare with it.

import type { Report } from "../../diagnostics/sink.ts";
import { lineIndexOf, type SourceText, type Span } from "../../source/source.ts";

/** Returns `line 1 char 19: missing parameter: index`, positioned just after the end of `span`. */
export function referenceAfter(span: Span, text: string): string {
  return placed(span.source, span.end, text);
}

/** Like `referenceAfter`, but positioned at the start of `span`. */
export function referenceAt(span: Span, text: string): string {
  return placed(span.source, span.start, text);
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
function placed(source: SourceText, at: number, text: string): string {
  const { pairs, lineStarts } = countsOf(source);
  const left = at - numberBefore(pairs, at);
  const line = lineIndexOf({ lineStarts }, left);
  return `line ${line + 1} char ${left - (lineStarts[line] ?? 0) + 1}: ${text}`;
}

/** The counts of a text, which may have tens of thousands of mistakes. */
interface Counts {
  /** The offsets of the code points that are two UTF-16 code units. */
  readonly pairs: readonly number[];
  /** The number of bytes before each line. */
  readonly lineStarts: readonly number[];
}

const knownCounts = new WeakMap<SourceText, Counts>();

function countsOf(source: SourceText): Counts {
  const known = knownCounts.get(source);
  if (known !== undefined) return known;
  let start = 0;
  const lineStarts = source.text.split("\n").map((line) => {
    const before = start;
    start += Buffer.byteLength(line) + 1;
    return before;
  });
  const pairs = Array.from(source.text.matchAll(/[\u{10000}-\u{10ffff}]/gu), ({ index }) => index);
  const counts = { pairs, lineStarts };
  knownCounts.set(source, counts);
  return counts;
}

function numberBefore(offsets: readonly number[], at: number): number {
  const [first] = offsets;
  return first === undefined || first >= at ? 0 : lineIndexOf({ lineStarts: offsets }, at - 1) + 1;
}
