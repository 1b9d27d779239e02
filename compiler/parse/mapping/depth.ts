// How deep a tree is. Later phases recurse over trees, so depth is bounded where trees are made.

import type { MappingNode } from "../../trees/mapping.ts";
import { childrenOf } from "../../trees/walk.ts";
import { ParseFailure } from "./failure.ts";

/** Operators in one chain, tails of one value and nesting together may make a tree this deep. */
export const depthLimit = 1000;

/** Branches of one `if` and cases of one `match` may be this many: each is tried after all before it. */
const branchLimit = 2000;

/** A text of fewer characters holds no tree that deep: no two levels of one share a character with a third. */
const shortText = depthLimit / 4;

/** The failure for a tree deeper than the limits; undefined for all others. Does not recurse. */
export function checkDepth(root: MappingNode): ParseFailure | undefined {
  if (root.span.end - root.span.start < shortText) return undefined;
  let level: readonly MappingNode[] = [root];
  for (let depth = 0; depth < depthLimit; depth++) {
    for (const node of level) {
      const limit = passedLimit(node);
      if (limit !== undefined) return tooDeep(node, limit);
    }
    level = level.flatMap(childrenOf);
    if (level.length === 0) return undefined;
  }
  return tooDeep(root, depthLimit);
}

/** The limit that a single node exceeds. */
function passedLimit(node: MappingNode): number | undefined {
  switch (node.kind) {
    case "Assign":
      return node.target.length > depthLimit ? depthLimit : undefined;
    case "IfStatement":
    case "IfExpression":
      return node.branches.length > branchLimit ? branchLimit : undefined;
    case "MatchExpression":
      return node.cases.length > branchLimit ? branchLimit : undefined;
    default:
      return undefined;
  }
}

function tooDeep({ span: { start, end } }: MappingNode, limit: number): ParseFailure {
  const mistake = { code: "GW2022", start, end, details: { limit } } as const;
  return new ParseFailure(end, [], `nested more than ${limit} levels deep`, mistake);
}
