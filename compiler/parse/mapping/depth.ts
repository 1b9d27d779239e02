// Limits the depth of trees when they are created, because later phases recurse over them.

import type { MappingNode } from "../../trees/mapping.ts";
import { childrenOf } from "../../trees/walk.ts";
import { ParseFailure } from "./failure.ts";

/** The maximum depth of a tree, from operators in one chain, tails of one value and nesting together. */
const depthLimit = 1000;

/** The maximum number of branches of one `if` and of cases of one `match`, which are tried one after the other. */
const branchLimit = 2000;

/** A text with fewer characters cannot hold a tree of that depth: at most two levels share a character. */
const shortText = depthLimit / 4;

/** Returns the failure for a tree that exceeds the limits; `undefined` otherwise. Does not recurse. */
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

/** Returns the limit that a single node exceeds. */
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
