// Where an edit lands in its file. What was decoded (escapes, folded lines) is never edited blindly.

import type { SourceFile, Span } from "../../source/source.ts";

/** A half-open range of `file.text`. */
export interface FileRange {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

/**
 * The part of the file that holds exactly the text of `span`; `undefined` where one character of the text
 * is not one character of the file, as behind an escape or a folded line break.
 */
export function findFileRange({ source, start, end }: Span): FileRange | undefined {
  const { file } = source;
  const from = source.offsetInFile(start);
  const to = end > start ? source.offsetInFile(end - 1) + 1 : from;
  return file.text.slice(from, to) === source.text.slice(start, end)
    ? { file, start: from, end: to }
    : undefined;
}
