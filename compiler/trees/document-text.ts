// Searches the text of documents for rare words, before rules visit all of a large one. An editor checks again after each
// change, so what is known of the other parts of a document is kept.

import { isJson, isLong, offsetsOf } from "../source/source.ts";
import type { DocumentNode, MapNode } from "./document.ts";

/** Whether the text of parts of documents matches, by pattern. A part is the value of a key of the root. */
const known = new Map<RegExp, WeakMap<DocumentNode, boolean>>();

/** Whether the text of a value of `root` matches. `pattern`: a constant, without the flags `g` and `y`. */
export function textHolds(root: MapNode, pattern: RegExp): boolean {
  const ofPattern = known.get(pattern) ?? new WeakMap<DocumentNode, boolean>();
  known.set(pattern, ofPattern);
  return root.entries.some(({ value }) => {
    const { source, start, end } = value.span;
    const holds = ofPattern.get(value) ?? pattern.test(source.text.slice(start, end));
    ofPattern.set(value, holds);
    return holds;
  });
}

/**
 * The maximum length of a text that is compared with others: each object around it contains it as well. Below
 * `smallObject` of `skim-json.ts`, so that mistakes in its text have been reported with the object around it.
 */
const longestCompared = 2000;

/**
 * Returns the text of a short object or list of a long JSON file: parts with the same text say the same, so one of them needs
 * to be read. `undefined` for a text with escapes, in which a search could miss a word.
 */
export function wholeTextOf({ kind, span }: DocumentNode): string | undefined {
  const { file } = span.source;
  if (kind === "scalar" || span.end - span.start > longestCompared || !isLong(file) || !isJson(file))
    return undefined;
  const { start, end } = offsetsOf(span);
  const text = file.text.slice(start, end);
  return text.includes("\\") ? undefined : text;
}
