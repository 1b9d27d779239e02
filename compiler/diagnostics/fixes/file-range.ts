// Determines the file range of an edit. Decoded text (escapes, folded lines) is never edited.

import { offsetsOf, type SourceFile, type Span } from "../../source/source.ts";

/** A half-open range of `file.text`. */
export interface FileRange {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the part of the file that contains exactly the text of `span`; `undefined` if a character of the text is not
 * one character of the file, for example after an escape or a folded line break.
 */
export function findFileRange(span: Span): FileRange | undefined {
  const { source } = span;
  const { file } = source;
  const range = offsetsOf(span);
  return file.text.slice(range.start, range.end) === source.text.slice(span.start, span.end)
    ? { file, ...range }
    : undefined;
}
