// Problems at positions of a text.

import type { Text } from "@codemirror/state";

/** A problem in a range of the text. Lines and columns count from 1; columns are code points. */
export interface Marked {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: "error" | "warning" | "info";
  readonly code?: string;
  readonly message: string;
  readonly hint?: string;
}

/** Returns the UTF-16 offset of a position whose column counts code points. A position after the text is its end. */
export function offsetOf(doc: Text, line: number, column: number): number {
  const { from, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const before = [...text].slice(0, column - 1).join("");
  return from + before.length;
}
