// Converts offsets of the compiler (UTF-16 code units) to positions of editors (lines from 0, UTF-16 code units) and
// back.

import type { Position, Range } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { lineIndexOf, offsetsOf, type SourceFile, type Span } from "../../compiler/source/source.ts";

/**
 * A byte order mark that an editor may keep at the beginning of a text. It takes a column in the first line; the
 * compiler's text excludes it.
 */
const byteOrderMark = "\uFEFF";

/** Returns the number of characters before the compiler's text in an editor's text. */
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

/** Returns the range between two offsets of a file. */
export function rangeIn(file: SourceFile, start: number, end: number): Range {
  const at = hasReturns(file) ? positionInDocument : positionInLines;
  return { start: at(file, start), end: at(file, Math.max(start, end)) };
}

const returns = new WeakMap<SourceFile, boolean>();

/** Whether a file has carriage returns, which end lines for editors but not for the compiler. */
function hasReturns(file: SourceFile): boolean {
  const found = returns.get(file) ?? file.text.includes("\r");
  returns.set(file, found);
  return found;
}

function positionInDocument(file: SourceFile, offset: number): Position {
  return documentOf(file).positionAt(offset + (file.isMarked ? 1 : 0));
}

/** Uses the compiler's line table, which is updated incrementally when a large text is edited. */
function positionInLines(file: SourceFile, offset: number): Position {
  const { lineStarts, text } = file;
  const at = Math.max(0, Math.min(offset, text.length));
  const line = lineIndexOf(file, at);
  const character = at - (lineStarts[line] ?? 0);
  return { line, character: line === 0 && file.isMarked ? character + 1 : character };
}

/** Returns the range of a span in its file; the same place that `locate` returns as line and column. */
export function rangeOf(span: Span): Range {
  const { start, end } = offsetsOf(span);
  return rangeIn(span.source.file, start, end);
}

/** Returns the offset of a position in a file; a position beyond the end of its line is the end of the line. */
export function offsetAt(file: SourceFile, position: Position): number {
  return Math.max(0, documentOf(file).offsetAt(position) - (file.isMarked ? 1 : 0));
}

/** Whether an offset of the file is within a span, including its end. */
export function isWithin(span: Span, offset: number): boolean {
  const { start, end } = offsetsOf(span);
  return offset >= start && offset <= end;
}

/** Whether a range is within another one or equal to it. */
export function contains(outer: Range, inner: Range): boolean {
  return compare(outer.start, inner.start) <= 0 && compare(outer.end, inner.end) >= 0;
}

function compare(one: Position, other: Position): number {
  return one.line - other.line || one.character - other.character;
}
