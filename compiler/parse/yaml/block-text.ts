// Literal `|` and folded `>` block scalars as decoded text tied to the file (YAML 1.2.2 section 8.1).

import type { SourceText } from "../../source/source.ts";
import { createDecodedText, type DecodedText } from "../document/decoded-text.ts";

/** Where a block scalar stands: its header (`|2-`), its lines, and the indentation of its parent. */
export interface BlockScalar {
  readonly header: string;
  readonly parentIndent: number;
  /** The lines after the header line. */
  readonly start: number;
  readonly end: number;
}

/** A line of a block: where it starts, where its text after the spaces starts and ends, its line break. */
interface Line {
  readonly start: number;
  readonly content: number;
  readonly end: number;
  readonly lineBreak: number;
}

/** The decoded text of a block scalar. */
export function decodeBlock(file: SourceText, block: BlockScalar): SourceText {
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

/** The indentation that is not content: as the header says, else that of the first line with text. */
function findIndent(lines: readonly Line[], block: BlockScalar): number {
  const digit = /[1-9]/.exec(block.header)?.[0];
  if (digit !== undefined) return block.parentIndent + Number(digit);
  const first = lines.find((line) => line.end > line.content);
  return first === undefined ? 0 : first.content - first.start;
}

/** Trailing lines that are only spaces, but more than the indentation, are content. */
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
 * Line breaks between two lines of text fold; those next to a line that is indented further stay. Empty
 * lines each stand for the break that they are.
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

/** The end of a file is not a line break, which a last line without one does not get (production 167, `b-chomped-last`). */
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
