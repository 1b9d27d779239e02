// Handles a document that cannot be parsed while a user types in it: leaves out the change since it was last parsed,
// so that the rest keeps its highlighting, its outline and its hovers. All other text keeps its position.

import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { findChange, type TextChange } from "../../compiler/source/edited-places.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { markLength } from "./positions.ts";

/** Returns `text` with spaces in place of the change since `before`; `undefined` if that cannot be parsed either. */
export function withoutChange(path: string, before: string, text: string): string | undefined {
  const mark = markLength(text);
  const own = text.slice(mark);
  const { start, end } = wholeLines(own, findChange(before, own));
  const lineStart = own.lastIndexOf("\n", start - 1) + 1;
  const lineBreak = own.indexOf("\n", end > start && own[end - 1] === "\n" ? end - 1 : end);
  const lineEnd = lineBreak === -1 ? own.length : lineBreak;
  // Inside brackets, the preceding comma is left out, too.
  const comma = /,\s*$/.exec(own.slice(0, start))?.index ?? start;
  const parts = [
    [lineStart, lineEnd],
    [start, end],
    [Math.min(comma, lineStart), lineEnd],
    [comma, end],
  ] as const;
  for (const [from, to] of parts) {
    const rest = own.slice(0, from) + own.slice(from, to).replace(/[^\r\n]/g, " ") + own.slice(to);
    if (isReadable(path, rest)) return text.slice(0, mark) + rest;
  }
  return undefined;
}

/** Returns the range of a change. A pure insertion is shifted so that it covers whole lines, if that is equivalent. */
function wholeLines(text: string, change: TextChange): { readonly start: number; readonly end: number } {
  let start = change.start;
  let end = start + change.length;
  if (change.end > start || change.length === 0) return { start, end };
  while (start > 0 && text[start - 1] !== "\n" && text[start - 1] === text[end - 1]) {
    start--;
    end--;
  }
  return { start, end };
}

function isReadable(path: string, text: string): boolean {
  let isRight = true;
  const root = parseDocument(createSourceFile(path, text), () => {
    isRight = false;
  });
  return isRight && root?.kind === "map";
}
