// Determines the file range of an edit. Decoded text (escapes, folded lines) is never edited.

import type { SourceFile, Span } from "../../source/source.ts";

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
export function findFileRange({ source, start, end }: Span): FileRange | undefined {
  const { file } = source;
  const from = source.offsetInFile(start);
  const to = end > start ? source.offsetInFile(end - 1) + 1 : from;
  return file.text.slice(from, to) === source.text.slice(start, end)
    ? { file, start: from, end: to }
    : undefined;
}
