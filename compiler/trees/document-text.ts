// Searches the text of documents for rare words, before rules visit all of a large one. An editor checks again after each
// change, so what is known of the other parts of a document is kept.

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
