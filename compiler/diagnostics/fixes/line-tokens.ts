// Reads one line of a mapping as tokens, and finds where the expressions in it begin and end. A text that cannot be
// parsed has no tree.

import { type Span, spanOf } from "../../source/source.ts";
import type { Edit } from "../diagnostic.ts";

export interface LineToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The number of brackets around it. */
  readonly depth: number;
}

/** The tokens of a line without spaces and comments, and which of them is wrong; -1 if it begins elsewhere. */
export interface Line {
  readonly span: Span;
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly LineToken[];
  readonly at: number;
}

const tokenPattern =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|#.*|[=!]==?|[<>]=|<>|=>|->|&&|\|\||\?[?.:]|[-+*/%]=|\+\+|--|[\w$@]+|\S/g;

/** Longer lines were not written by hand. */
const longestLine = 1000;

/** Returns the line of a span; `undefined` for one that is too long, or if the span begins elsewhere. */
export function readLine(span: Span): Line | undefined {
  const { text } = span.source;
  const start = text.lastIndexOf("\n", span.start - 1) + 1;
  const line = text.slice(start, start + longestLine + 1).split(/\r?\n/, 1)[0] ?? "";
  if (line.length > longestLine || span.start > start + line.length) return undefined;
  const tokens: LineToken[] = [];
  let depth = 0;
  let end = start + line.trimEnd().length;
  for (const { 0: token, index } of line.matchAll(tokenPattern)) {
    const from = start + index;
    if (token.startsWith("#") && from > span.start) {
      end = start + line.slice(0, index).trimEnd().length;
      break;
    }
    if (/^[)\]}]$/.test(token)) depth--;
    tokens.push({ text: token, start: from, end: from + token.length, depth });
    if (/^[([{]$/.test(token)) depth++;
  }
  return { span, start, end, tokens, at: tokens.findIndex((token) => token.start === span.start) };
}

/** Returns the edit that replaces a part of a line. */
export function edit({ span: { source } }: Line, start: number, end: number, text: string): Edit {
  return { span: spanOf(source, start, end), text, language: "mapping" };
}

/** Returns a part of the text of a line. */
export function textOf({ span: { source } }: Line, start: number, end: number): string {
  return source.text.slice(start, end);
}

/** Tokens before which an expression cannot begin. */
const separators: ReadonlySet<string> = new Set([",", "=", ":", "?", "->", "=>", "return"]);

/** Returns the index of the first token of the expression that ends before a token. */
export function beginOf({ tokens }: Line, before: number): number {
  const depth = tokens[before]?.depth ?? 0;
  let at = before;
  for (; at > 0; at--) {
    const token = tokens[at - 1];
    if (token === undefined || token.depth < depth || (token.depth === depth && separators.has(token.text)))
      break;
  }
  return at;
}

/**
 * Returns the index of the token after the expression that begins at a token: a comma, the closing bracket around it,
 * or one of `others` that belongs to no other condition.
 */
export function endOf({ tokens }: Line, from: number, depth: number, others: readonly string[]): number {
  let open = 0;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || token.depth < depth) return at;
    if (token.depth > depth) continue;
    if (token.text === "?") open++;
    else if (token.text === ":" && open > 0) open--;
    else if (token.text === "," || others.includes(token.text)) return at;
  }
  return tokens.length;
}

/** Joins edits that touch each other, in the order of their places. */
export function merged(edits: readonly Edit[]): readonly Edit[] {
  const joined: Edit[] = [];
  for (const each of edits.toSorted((a, b) => a.span.start - b.span.start || a.span.end - b.span.end)) {
    const last = joined.at(-1);
    if (last === undefined || last.span.end < each.span.start) joined.push(each);
    else {
      const span = { ...last.span, end: each.span.end };
      joined.splice(-1, 1, { ...last, span, text: last.text + each.text });
    }
  }
  return joined;
}

/**
 * Returns the first and last token of the operand that begins (`step` 1) or ends (-1) with a token: it has no spaces
 * outside of its brackets.
 */
export function operand(
  { tokens }: Line,
  at: number,
  step: -1 | 1,
): readonly [LineToken, LineToken] | undefined {
  const first = tokens[at];
  if (first === undefined) return undefined;
  const far = step === 1 ? /^[)\]}]$/ : /^[([{]$/;
  let last = first;
  for (let next = at + step; ; next += step) {
    const [token, beside] = [tokens[next], tokens[next - step]];
    if (token === undefined || beside === undefined || token.depth < first.depth) break;
    const isOutside = token.depth === first.depth && !far.test(token.text);
    const gap = step === 1 ? token.start - beside.end : beside.start - token.end;
    if (isOutside && (gap > 0 || /^[,=:]$/.test(token.text))) break;
    last = token;
  }
  return step === 1 ? [first, last] : [last, first];
}
