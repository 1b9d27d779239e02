// Places of the compiler (offsets of UTF-16 units) to those of editors (lines from 0, UTF-16 units), and back.

import type { Position, Range } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import {
  lineIndexOf,
  offsetsOf,
  type SourceFile,
  type SourceText,
  type Span,
} from "../../compiler/source/source.ts";

/** What an editor may leave at the beginning of a text. It takes a place in the first line, and none in the compiler's texts. */
const byteOrderMark = "\uFEFF";

/** How many characters of an editor's text stand before the compiler's. */
export function markLength(text: string): 0 | 1 {
  return text.startsWith(byteOrderMark) ? 1 : 0;
}

const documents = new WeakMap<SourceFile, TextDocument>();

function documentOf(file: SourceFile): TextDocument {
  const text = file.isMarked ? byteOrderMark + file.text : file.text;
  const known = documents.get(file) ?? TextDocument.create(file.path, "", 0, text);
  documents.set(file, known);
  return known;
}

/** The range of two offsets of a file. */
export function rangeIn(file: SourceFile, start: number, end: number): Range {
  const at = hasReturns(file) ? positionInDocument : positionInLines;
  return { start: at(file, start), end: at(file, Math.max(start, end)) };
}

const returns = new WeakMap<SourceFile, boolean>();

/** Whether a file has carriage returns, which end lines for editors and not for the compiler. */
function hasReturns(file: SourceFile): boolean {
  const found = returns.get(file) ?? file.text.includes("\r");
  returns.set(file, found);
  return found;
}

function positionInDocument(file: SourceFile, offset: number): Position {
  return documentOf(file).positionAt(offset + (file.isMarked ? 1 : 0));
}

/** By the lines of the compiler, which follow the edits of a large text. */
function positionInLines(file: SourceFile, offset: number): Position {
  const { lineStarts, text } = file;
  const at = Math.max(0, Math.min(offset, text.length));
  const line = lineIndexOf(file, at);
  const character = at - (lineStarts[line] ?? 0);
  return { line, character: line === 0 && file.isMarked ? character + 1 : character };
}

/** Where a span lies in its file; the same place as `locate` gives in lines and columns. */
export function rangeOf(span: Span): Range {
  const { start, end } = offsetsOf(span);
  return rangeIn(span.source.file, start, end);
}

/** The offset of a position in a file; one beyond its line is the line's end. */
export function offsetAt(file: SourceFile, position: Position): number {
  return Math.max(0, documentOf(file).offsetAt(position) - (file.isMarked ? 1 : 0));
}

/** The offset in a decoded text whose character stands at `offset` of the file, or is the first behind it. */
export function offsetInSource(source: SourceText, offset: number): number {
  let low = 0;
  let high = source.text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (source.offsetInFile(middle) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether an offset of the file lies in a span, its end included. */
export function isWithin(span: Span, offset: number): boolean {
  const { start, end } = offsetsOf(span);
  return offset >= start && offset <= end;
}

/** Whether a range lies in another, or is the same. */
export function contains(outer: Range, inner: Range): boolean {
  return compare(outer.start, inner.start) <= 0 && compare(outer.end, inner.end) >= 0;
}

function compare(one: Position, other: Position): number {
  return one.line - other.line || one.character - other.character;
}
