// What the YAML reader found wrong, as diagnostics. One mistake often upsets it several times over, so only
// the first problem is told, and tabs, which never follow from something else.

import type { Document, YAMLError } from "yaml";
import type { Report } from "../../diagnostics/sink.ts";
import { type SourceFile, type Span, spanOf } from "../../source/source.ts";

/** Reports the errors of a document; true when there were any. */
export function reportSyntaxErrors(file: SourceFile, document: Document, report: Report): boolean {
  const errors = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  errors.forEach((error, index) => {
    const tab = findTabIndent(file, error.pos[0]);
    if (tab !== undefined) report("GW1011", tab, {});
    else if (index === 0) reportFirst(file, error, errors, report);
  });
  for (const warning of document.warnings) {
    if (warning.code === "TAG_RESOLVE_FAILED") reportTag(file, warning, report);
  }
  return errors.length > 0;
}

function reportFirst(file: SourceFile, error: YAMLError, all: readonly YAMLError[], report: Report): void {
  const span = spanOf(file, ...clip(file, error.pos));
  const text = error.message;
  const reference = findReference(file, error.pos[0]);
  const quote = findQuoteStart(file, error);
  const line = findIndentedLine(file, error, all);
  const item = /block sequence .* implicit map key/.test(text)
    ? /^\s*(-)/.exec(file.text.slice(span.start))
    : null;
  if (reference !== undefined) report("GW1010", reference, { problem: "BARE_REFERENCE", text });
  else if (quote !== undefined) report("GW1010", quote, { problem: "UNCLOSED_QUOTE", text });
  else if (line !== undefined) report("GW1010", line, { problem: "INDENTED_TOO_FAR", text });
  else if (item !== null) {
    const at = span.start + item[0].length - 1;
    report("GW1010", spanOf(file, at, at + 1), { problem: "ITEM_AMONG_KEYS", text });
  } else report("GW1010", span, { problem: error.code, text });
}

/** The tab in the indentation of the line at `offset`, if it has one. */
function findTabIndent(file: SourceFile, offset: number): Span | undefined {
  const lineStart = file.text.lastIndexOf("\n", offset - 1) + 1;
  const indent = /^[ \t]*/.exec(file.text.slice(lineStart, lineStart + 1000))?.[0] ?? "";
  const tab = indent.indexOf("\t");
  return tab === -1 ? undefined : spanOf(file, lineStart + tab, lineStart + tab + 1);
}

/** The `${…}` whose brace, at `offset`, the reader took for a map inside brackets. */
function findReference(file: SourceFile, offset: number): Span | undefined {
  const reference = /^\$\{[^}\n]*\}?/.exec(file.text.slice(Math.max(0, offset - 1), offset + 1000));
  return reference === null ? undefined : spanOf(file, offset - 1, offset - 1 + reference[0].length);
}

/** The reader places an unclosed quote at the end of the file; people look for where it was opened. */
function findQuoteStart(file: SourceFile, error: YAMLError): Span | undefined {
  const quote = /Missing closing (.)quote/.exec(error.message)?.[1];
  if (error.code !== "MISSING_CHAR" || quote === undefined) return undefined;
  const opening = new RegExp(`(?:^|[\\s\\[{,:])${quote}(?=[^${quote}]*$)`).exec(file.text);
  const start = opening === null ? -1 : opening.index + opening[0].length - 1;
  return start === -1 ? undefined : spanOf(file, start, start + 1);
}

/**
 * The key of a line that is indented too far: the reader takes the value above it for the beginning of a key that
 * goes over several lines, and the key for its end.
 */
function findIndentedLine(file: SourceFile, first: YAMLError, all: readonly YAMLError[]): Span | undefined {
  if (first.code !== "BLOCK_AS_IMPLICIT_KEY") return undefined;
  const whole = all.find(({ code, pos }) => code === "MULTILINE_IMPLICIT_KEY" && pos[0] === first.pos[0]);
  if (whole === undefined) return undefined;
  const lineStart = file.text.lastIndexOf("\n", whole.pos[1]) + 1;
  const key = /^(\s*)([^:\n]*):/.exec(file.text.slice(lineStart, lineStart + 1000));
  if (key === null || lineStart <= first.pos[0]) return undefined;
  const start = lineStart + (key[1]?.length ?? 0);
  return spanOf(file, start, start + (key[2]?.length ?? 0));
}

function reportTag(file: SourceFile, warning: YAMLError, report: Report): void {
  const [start, end] = clip(file, warning.pos);
  report("GW1018", spanOf(file, start, end), { tag: file.text.slice(start, end) });
}

/** Errors at the end of the file point past it; they are shown at its last character. */
function clip(file: SourceFile, [from, to]: readonly [number, number]): [number, number] {
  const last = file.text.trimEnd().length;
  const start = Math.min(from, last);
  const lineEnd = file.text.indexOf("\n", start);
  return [start, Math.max(start, Math.min(to, lineEnd === -1 ? file.text.length : lineEnd))];
}
