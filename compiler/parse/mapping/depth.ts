// How deep a tree is. Later phases recurse over trees, so depth is bounded where trees are made.

import type { MappingNode } from "./ast.ts";
import { Failure } from "./failure.ts";
import { childrenOf } from "./walk.ts";

/** Operators in one chain, tails of one value and nesting together may make a tree this deep. */
export const depthLimit = 1000;

/** The failure for a tree deeper than the limit; undefined for all others. Does not recurse. */
export function checkDepth(root: MappingNode): Failure | undefined {
  let level: readonly MappingNode[] = [root];
  for (let depth = 0; depth < depthLimit; depth++) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return undefined;
  }
  const { start, end } = root.span;
  const mistake = { code: "GW2022", start, end, details: { limit: depthLimit } } as const;
  return new Failure(end, [], `nested more than ${depthLimit} levels deep`, mistake);
}
