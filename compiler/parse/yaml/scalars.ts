// Converts a scalar of the YAML reader to a node of the tree: its value, its place and its decoded text. Decodes
// literal `|` and folded `>` blocks here (YAML 1.2.2 section 8.1).

import { type CST, Scalar } from "yaml";
import { invariant } from "../../diagnostics/invariant.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { ScalarNode } from "../../trees/document.ts";
import { alignText, createDecodedText, type DecodedText } from "../document/decoded-text.ts";
import { createDecodedScalar, createPlainScalar, sharedText } from "../document/nodes.ts";
import { decodeDoubleQuoted, decodePlain, decodeSingleQuoted } from "./flow-text.ts";

/** Returns a scalar whose value JSON can represent. */
export function createScalar(
  file: SourceText,
  scalar: Scalar.Parsed,
  value: ScalarNode["value"],
): ScalarNode {
  const [start, end] = scalar.range;
  if (typeof value !== "string") return createPlainScalar(file, value, ...trimQuotes(scalar));
  switch (scalar.type) {
    case Scalar.QUOTE_SINGLE:
    case Scalar.QUOTE_DOUBLE:
      return createQuoted(file, scalar, value);
    case Scalar.BLOCK_LITERAL:
    case Scalar.BLOCK_FOLDED:
      return createBlock(file, scalar, value);
    default:
      if (file.text.slice(start, end) === value) return createPlainScalar(file, value, start, end);
      return createDecodedScalar(
        value,
        () => spanOf(file, start, end),
        () => settle(file, decodePlain(file, start, end), value, start, end),
      );
  }
}

function createQuoted(file: SourceText, scalar: Scalar.Parsed, value: string): ScalarNode {
  const [start, end] = trimQuotes(scalar);
  if (file.text.slice(start, end) === value) return createPlainScalar(file, value, start, end);
  const decode = scalar.type === Scalar.QUOTE_SINGLE ? decodeSingleQuoted : decodeDoubleQuoted;
  return createDecodedScalar(
    value,
    () => spanOf(file, start, end),
    () => settle(file, decode(file, start, end), value, start, end),
  );
}

function createBlock(file: SourceText, scalar: Scalar.Parsed, value: string): ScalarNode {
  const token = scalar.srcToken;
  invariant(token?.type === "block-scalar", "a block scalar has its source token");
  const block = locateBlock(file, token);
  const whole = withSpaces(file, block, value);
  return createLiteral(file, endsFile(file, block) ? withoutAddedBreak(file, block, whole) : whole, block);
}

/** Returns a block scalar whose value is known. */
export function createLiteral(file: SourceText, value: string, block: BlockScalar): ScalarNode {
  return createDecodedScalar(
    value,
    () => findBlockSpan(file, block),
    () => settle(file, decodeBlock(file, block), value, block.start, block.end),
  );
}

function endsFile({ text }: SourceText, { end }: BlockScalar): boolean {
  return end === text.length && !text.endsWith("\n");
}

/** Restores trailing lines of spaces that the reader drops, although spaces beyond the indentation are content. */
function withSpaces(file: SourceText, block: BlockScalar, value: string): string {
  const content = file.text.slice(block.start, block.end);
  if (!content.slice(content.trimEnd().length).includes("\n ")) return value;
  const { text } = decodeBlock(file, block);
  return text.startsWith(value) && text.slice(value.length).trim() === "" ? text : value;
}

/** Removes the line break that the reader adds to the last line of a file without one. */
function withoutAddedBreak(file: SourceText, block: BlockScalar, value: string): string {
  const { text } = decodeBlock(file, block);
  return value === `${text}\n` ? text : value;
}

/** Returns the span from the first character of the content to its last, without the line breaks around it. */
function findBlockSpan(file: SourceText, { start, end }: BlockScalar): Span {
  const content = file.text.slice(start, end);
  if (content.trim() === "") return spanOf(file, start, start);
  const first = content.length - content.trimStart().length;
  return spanOf(file, start + first, start + content.trimEnd().length);
}

function locateBlock({ text }: SourceText, token: CST.BlockScalar): BlockScalar {
  let start = token.offset;
  let header = "";
  for (const prop of token.props) {
    if (!("source" in prop)) continue;
    if (prop.type === "block-scalar-header") header = prop.source;
    start += prop.source.length;
  }
  let end = start + token.source.length;
  // If the header states the indentation, the reader does not count trailing lines of spaces as part of the block.
  if (/[1-9]/.test(header) && text.charAt(end - 1) === "\n")
    end += /^(?:[ ]*\r?\n)*/.exec(text.slice(end))?.[0].length ?? 0;
  return { header, parentIndent: token.indent, start, end };
}

function trimQuotes(scalar: Scalar.Parsed): [number, number] {
  const [start, end] = scalar.range;
  const isQuoted = scalar.type === Scalar.QUOTE_SINGLE || scalar.type === Scalar.QUOTE_DOUBLE;
  return isQuoted ? [start + 1, end - 1] : [start, end];
}

/**
 * Returns the reader's value, which is authoritative. If it differs from the specification (for example for U+2028 in a
 * folded scalar), the places are found by searching for its characters.
 */
function settle(
  file: SourceText,
  decoded: SourceText,
  value: string,
  start: number,
  end: number,
): SourceText {
  return decoded.text === value ? decoded : alignText(file, value, start, end);
}

/** The place of a block scalar: its header (`|2-`), its lines, and the indentation of its parent. */
export interface BlockScalar {
  readonly header: string;
  readonly parentIndent: number;
  /** The lines after the header line. */
  readonly start: number;
  readonly end: number;
}

/** A line of a block: its start, the start and end of its text after the spaces, and its line break. */
interface Line {
  readonly start: number;
  readonly content: number;
  readonly end: number;
  readonly lineBreak: number;
}

/** Returns the decoded text of a block scalar. */
function decodeBlock(file: SourceText, block: BlockScalar): SourceText {
  const out = createDecodedText(file);
  const lines = splitLines(file.text, block.start, block.end);
  const keep = block.header.includes("+");
  const chompStart = lines.findLastIndex((line) => line.end > line.content) + 1;
  if (chompStart === 0) {
    if (keep && lines.length > 0) addKeptBreaks(lines.slice(0, Math.max(1, lines.length - 1)), out);
    return out.finish(block.end);
  }
  const indent = findIndent(lines, block);
  const contentEnd = findContentEnd(lines, chompStart, indent);
  const content = lines.slice(0, contentEnd);
  if (block.header.startsWith(">")) addFolded(file.text, content, indent, out);
  else addLiteral(content, indent, out);
  addChomped(lines, contentEnd, { indent, keep, strip: block.header.includes("-") }, out);
  return out.finish(block.end);
}

function splitLines(text: string, start: number, end: number): readonly Line[] {
  const lines: Line[] = [];
  if (start >= end) return lines;
  for (let at = start; ; ) {
    const found = text.indexOf("\n", at);
    const lineBreak = found === -1 || found >= end ? end : found;
    let content = at;
    while (content < lineBreak && text.charAt(content) === " ") content++;
    const hasReturn = lineBreak < end && lineBreak > content && text.charAt(lineBreak - 1) === "\r";
    lines.push({ start: at, content, end: hasReturn ? lineBreak - 1 : lineBreak, lineBreak });
    if (lineBreak === end) return lines;
    at = lineBreak + 1;
  }
}

/** Returns the indentation that is not content, from the header or otherwise from the first line with text. */
function findIndent(lines: readonly Line[], block: BlockScalar): number {
  const digit = /[1-9]/.exec(block.header)?.[0];
  if (digit !== undefined) return block.parentIndent + Number(digit);
  const first = lines.find((line) => line.end > line.content);
  return first === undefined ? 0 : first.content - first.start;
}

/** Returns the end of the content. Trailing lines of spaces are content if they exceed the indentation. */
function findContentEnd(lines: readonly Line[], chompStart: number, indent: number): number {
  const last = lines.findLastIndex((line) => line.content - line.start > indent);
  return Math.max(chompStart, last + 1);
}

function addLiteral(lines: readonly Line[], indent: number, out: DecodedText): void {
  lines.forEach((line, index) => {
    const before = lines[index - 1];
    if (before !== undefined) out.add("\n", before.lineBreak);
    copyLine(line, indent, out);
  });
}

/**
 * Folds line breaks between two lines of text. Keeps those next to a line that is indented further. Each empty line
 * represents its own line break.
 */
function addFolded(text: string, lines: readonly Line[], indent: number, out: DecodedText): void {
  let before: Line | undefined;
  let breaks: number[] = [];
  for (const line of lines) {
    if (isEmpty(line, indent)) {
      breaks.push(line.lineBreak);
      continue;
    }
    if (before === undefined) addBreaks(breaks, out);
    else if (isSpaced(text, before, indent) || isSpaced(text, line, indent)) {
      addBreaks([before.lineBreak, ...breaks], out);
    } else if (breaks.length === 0) out.add(" ", before.lineBreak);
    else addBreaks(breaks, out);
    copyLine(line, indent, out);
    before = line;
    breaks = [];
  }
}

function addChomped(
  lines: readonly Line[],
  contentEnd: number,
  style: { readonly indent: number; readonly keep: boolean; readonly strip: boolean },
  out: DecodedText,
): void {
  if (style.strip && !style.keep) return;
  const last = lines[contentEnd - 1];
  if (last === undefined) return;
  const kept = style.keep ? lines.slice(contentEnd, -1) : [];
  addKeptBreaks([last, ...kept], out);
}

function addKeptBreaks(lines: readonly Line[], out: DecodedText): void {
  addBreaks(
    lines.map((line) => line.lineBreak),
    out,
  );
}

/** Adds line breaks, but none at the end of a file whose last line has none (production 167, `b-chomped-last`). */
function addBreaks(offsets: readonly number[], out: DecodedText): void {
  for (const offset of offsets) if (offset < out.file.text.length) out.add("\n", offset);
}

function copyLine(line: Line, indent: number, out: DecodedText): void {
  out.copy(Math.min(line.start + indent, line.content), line.end);
}

function isEmpty(line: Line, indent: number): boolean {
  return line.end === line.content && line.content - line.start <= indent;
}

function isSpaced(text: string, line: Line, indent: number): boolean {
  return line.content - line.start > indent || text.charAt(line.content) === "\t";
}

const words: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** Returns the value of a plain scalar; `undefined` for merge keys and for numbers that the YAML reader has to read. */
export function plainValue(written: string): null | boolean | number | string | undefined {
  const word = words.get(written);
  if (word !== undefined) return word;
  if (/^(?:0|-?[1-9]\d{0,14})$/.test(written)) return Number(written);
  const isNumber = /^[-+]?(?:0[ox][\da-f]+|(?:\.\d+|\d+\.?\d*)(?:e[-+]?\d+)?|\.(?:inf|nan))$/i.test(written);
  return isNumber || written === "<<" ? undefined : sharedText(written);
}
