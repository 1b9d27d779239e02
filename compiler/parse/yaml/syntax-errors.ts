// Converts the errors of the YAML reader to diagnostics. One mistake often causes several errors, so only the first is
// reported, and tabs, which never follow from another error.

import type { Document, YAMLError } from "yaml";
import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";

/** Reports the errors of a document; returns whether there were any. */
export function reportSyntaxErrors(file: SourceText, document: Document, report: Report): boolean {
  const errors = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  // The start of each line is searched once, however many errors the line has.
  let [lineStart, seen] = [0, 0];
  errors.forEach((error, index) => {
    const before = file.text.slice(seen, error.pos[0]).lastIndexOf("\n");
    if (before !== -1) lineStart = seen + before + 1;
    seen = Math.max(seen, error.pos[0]);
    const tab = findTabIndent(file, lineStart);
    if (tab !== undefined) report("GW1011", tab, {});
    else if (index === 0) reportFirst(file, error, errors, report);
  });
  for (const warning of document.warnings) {
    if (warning.code === "TAG_RESOLVE_FAILED") reportTag(file, warning, report);
  }
  return errors.length > 0;
}

function reportFirst(file: SourceText, error: YAMLError, all: readonly YAMLError[], report: Report): void {
  const { problem, span } = refine(file, error, all) ?? {
    problem: problemOf(error),
    span: visibleSpan(file, error),
  };
  const written = file.text.slice(span.start, span.end);
  report("GW1010", span, { problem, text: error.message, written });
}

interface Refined {
  readonly problem: string;
  readonly span: Span;
}

/** Finds the author's mistake if the reader only reports a consequence of it. */
function refine(file: SourceText, error: YAMLError, all: readonly YAMLError[]): Refined | undefined {
  const statement = findTemplateStatement(file, error.pos[0]);
  if (statement !== undefined) return { problem: "TEMPLATE", span: statement };
  const reference = findReference(file, error.pos[0]);
  if (reference !== undefined) return { problem: "BARE_REFERENCE", span: reference };
  const quote = findQuoteStart(file, error);
  if (quote !== undefined) return { problem: "UNCLOSED_QUOTE", span: quote };
  const dedented = findDedentedLine(file, error);
  if (dedented !== undefined) return { problem: "DEDENTED_LINE", span: dedented };
  const colon = findBareColon(file, error);
  if (colon !== undefined) return { problem: "COLON_WITHOUT_SPACE", span: colon };
  const bracket = findTextWithBrackets(file, error);
  if (bracket !== undefined) return { problem: "BRACKET_IN_TEXT", span: bracket };
  const line = findIndentedLine(file, error, all);
  if (line !== undefined) return { problem: "INDENTED_TOO_FAR", span: line };
  if (!/block sequence .* implicit map key/.test(error.message)) return undefined;
  const [start] = clip(file, error.pos);
  const item = /^\s*(-)/.exec(file.text.slice(start));
  if (item === null) return undefined;
  const at = start + item[0].length - 1;
  return { problem: "ITEM_AMONG_KEYS", span: spanOf(file, at, at + 1) };
}

/** Problems that share a code of the reader, distinguished by its message. */
const problemsByMessage: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^Flow (?:map|sequence) .*end with a [\]}]/, "UNCLOSED_BRACKET"],
  [/^Unexpected flow-(?:map|seq)-end/, "UNOPENED_BRACKET"],
  [/^Unexpected (?:, in|empty item)/, "EXTRA_COMMA"],
  [/^Missing , /, "MISSING_COMMA"],
  [/ at node end$/, "TEXT_AFTER_VALUE"],
  [/^(?:Not a YAML token|Block scalar header includes)/, "TEXT_AFTER_PIPE"],
  [/ followed by map values$/, "MULTILINE_IMPLICIT_KEY"],
  [/^Missing directives-end/, "BAD_DIRECTIVE"],
  [/^Comments must be separated/, "COMMENT_WITHOUT_SPACE"],
  [/^Tags and anchors must be separated/, "PROPERTY_WITHOUT_SPACE"],
  [/^Sequence item without/, "ITEM_WITHOUT_DASH"],
];

function problemOf({ code, message }: YAMLError): string {
  return problemsByMessage.find(([pattern]) => pattern.test(message))?.[1] ?? code;
}

/** Returns the span of an error; the text of the line if the reader reports only the blanks before it. */
function visibleSpan(file: SourceText, error: YAMLError): Span {
  const [start, end] = clip(file, error.pos);
  if (file.text.slice(start, end).trim() !== "") return spanOf(file, start, end);
  const text = /^[ \n]*([^\n]*)/.exec(file.text.slice(start))?.[1]?.trimEnd() ?? "";
  const from = file.text.indexOf(text, start);
  return text === "" ? spanOf(file, start, end) : spanOf(file, from, from + text.length);
}

const afterBlock: ReadonlySet<string> = new Set([
  "MULTILINE_IMPLICIT_KEY",
  "BAD_INDENT",
  "BLOCK_AS_IMPLICIT_KEY",
]);

/**
 * Finds a line of a `|` block that is indented less than the others: it ends the block, and the reader expects a key.
 * Lines that look like a key or an item keep the reader's own message.
 */
function findDedentedLine(file: SourceText, { code, message, pos }: YAMLError): Span | undefined {
  if (!afterBlock.has(code) && !message.endsWith("followed by map values")) return undefined;
  const start = pos[0] + (/^\s*/.exec(file.text.slice(pos[0], pos[0] + 1000))?.[0].length ?? 0);
  const lineStart = file.text.lastIndexOf("\n", start - 1) + 1;
  const [, blanks = "", text = ""] = /^( *)([^\n]*)/.exec(file.text.slice(lineStart)) ?? [];
  if (text === "" || /^(?:-(?:\s|$)|["']?[\w$.-]+["']?\s*:(?:\s|$))/.test(text)) return undefined;
  const indentation = indentationOfBlock(file.text.slice(0, lineStart));
  if (indentation === undefined || indentation <= blanks.length) return undefined;
  const from = lineStart + blanks.length;
  return spanOf(file, from, from + text.trimEnd().length);
}

/** Returns the indentation of the `|` block at the end of a text. */
function indentationOfBlock(text: string): number | undefined {
  let indentation: number | undefined;
  for (const line of text.trimEnd().split("\n").toReversed()) {
    if (line.trim() === "") continue;
    if (/(?:^|[\s:-])[|>][-+\d]{0,2}\s*(?:#.*)?$/.test(line)) return indentation;
    const blanks = line.length - line.trimStart().length;
    if (indentation !== undefined && blanks < indentation) indentation = blanks;
    indentation ??= blanks;
  }
  return undefined;
}

/** Finds `key:{ … }`, which is one text, so that the bracket at its end closes nothing. */
function findBareColon(file: SourceText, { message, pos }: YAMLError): Span | undefined {
  if (!message.startsWith("Unexpected flow-")) return undefined;
  const lineStart = file.text.lastIndexOf("\n", pos[0] - 1) + 1;
  const key = /^[\s-]*[\w$.-]+(?=:[[{])/.exec(file.text.slice(lineStart, pos[0]));
  if (key === null) return undefined;
  const colon = lineStart + key[0].length;
  return spanOf(file, colon, colon + 1);
}

/**
 * Finds text without quotes inside brackets, such as `/chat/{room}`, whose own bracket the reader takes for structure.
 */
function findTextWithBrackets(file: SourceText, { code, message, pos }: YAMLError): Span | undefined {
  const isBracket = /[[{]/.test(file.text.charAt(pos[0]));
  const isRead =
    code === "BLOCK_IN_FLOW" || message.endsWith("at node end") || message.startsWith("Missing , or :");
  if (!isRead || (code !== "BLOCK_IN_FLOW" && !isBracket)) return undefined;
  const lineStart = file.text.lastIndexOf("\n", pos[0] - 1) + 1;
  const before = file.text.slice(lineStart, pos[0]);
  const start =
    code === "BLOCK_IN_FLOW"
      ? pos[0]
      : lineStart + before.search(/(?<=[:,]\s+|[[{]\s*)[^\s,[\]{}:](?:[^,[\]{}:]|:(?!\s))*$|$/);
  const text = file.text.slice(start, file.text.indexOf("\n", start));
  const length = lengthOfText(text);
  const written = text.slice(0, length);
  return /^["']/.test(written) || !/[^\s[{].*[[{]/.test(written)
    ? undefined
    : spanOf(file, start, start + length);
}

/** Returns the length of a text with balanced brackets, up to a comma or a bracket around it. */
function lengthOfText(text: string): number {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if (/[[{]/.test(character)) depth += 1;
    else if (depth === 0 && /[,\]}]/.test(character)) return text.slice(0, index).trimEnd().length;
    else if (/[\]}]/.test(character)) depth -= 1;
  }
  return text.trimEnd().length;
}

/** Returns the tab in the indentation of the line that starts at `lineStart`, if it has one. */
function findTabIndent(file: SourceText, lineStart: number): Span | undefined {
  const indent = /^[ \t]*/.exec(file.text.slice(lineStart, lineStart + 1000))?.[0] ?? "";
  const tab = indent.indexOf("\t");
  return tab === -1 ? undefined : spanOf(file, lineStart + tab, lineStart + tab + 1);
}

/** Returns the statement of a template engine, such as `{{- if .Values.tls }}` or `{% endif %}`, on the line of `offset`. */
function findTemplateStatement(file: SourceText, offset: number): Span | undefined {
  const lineStart = file.text.lastIndexOf("\n", offset - 1) + 1;
  const line = file.text.slice(lineStart, lineStart + 1000).split("\n", 1)[0] ?? "";
  const [statement] =
    /^\s*(?:\{%|\{\{[-~#/]?\s*(?:if|else|end|range|with|include|define|each|for)\b)/.exec(line) ?? [];
  if (statement === undefined) return undefined;
  const start = lineStart + line.search(/\S/);
  return spanOf(file, start, lineStart + line.trimEnd().length);
}

/** Returns the `${…}` whose brace, at `offset`, the reader took for a map inside brackets. */
function findReference(file: SourceText, offset: number): Span | undefined {
  const reference = /^\$\{[^}\n]*\}?/.exec(file.text.slice(Math.max(0, offset - 1), offset + 1000));
  return reference === null ? undefined : spanOf(file, offset - 1, offset - 1 + reference[0].length);
}

/** Finds the opening quote: the reader reports an unclosed quote where the text cannot continue. */
function findQuoteStart(file: SourceText, error: YAMLError): Span | undefined {
  const quote = /Missing closing (.)quote/.exec(error.message)?.[1];
  if (error.code !== "MISSING_CHAR" || quote === undefined) return undefined;
  const opening = new RegExp(`(?:^|[\\s\\[{,:])${quote}(?=[^${quote}]*$)`).exec(
    file.text.slice(0, error.pos[0] + 1),
  );
  const start = opening === null ? -1 : opening.index + opening[0].length - 1;
  return start === -1 ? undefined : spanOf(file, start, start + 1);
}

/**
 * Finds the key of a line that is indented too far: the reader takes the value above it for the beginning of a key on
 * several lines, and the key for its end.
 */
function findIndentedLine(file: SourceText, first: YAMLError, all: readonly YAMLError[]): Span | undefined {
  if (first.code !== "BLOCK_AS_IMPLICIT_KEY") return undefined;
  const whole = all.find(({ code, pos }) => code === "MULTILINE_IMPLICIT_KEY" && pos[0] === first.pos[0]);
  if (whole === undefined) return undefined;
  const lineStart = file.text.lastIndexOf("\n", whole.pos[1]) + 1;
  const key = /^(\s*)([^:\n]*):/.exec(file.text.slice(lineStart, lineStart + 1000));
  if (key === null || lineStart <= first.pos[0]) return undefined;
  const start = lineStart + (key[1]?.length ?? 0);
  return spanOf(file, start, start + (key[2]?.length ?? 0));
}

function reportTag(file: SourceText, warning: YAMLError, report: Report): void {
  const [start, end] = clip(file, warning.pos);
  report("GW1018", spanOf(file, start, end), { tag: file.text.slice(start, end) });
}

/** Clips errors at the end of the file, which point past it, to its last character. */
function clip(file: SourceText, [from, to]: readonly [number, number]): [number, number] {
  const last = file.text.trimEnd().length;
  const start = Math.min(from, last);
  const lineEnd = file.text.indexOf("\n", start);
  return [start, Math.max(start, Math.min(to, lineEnd === -1 ? file.text.length : lineEnd))];
}
