// A node with its size and height, which limit what repeating it by aliases and references may cost.

import type { DocumentNode } from "../../trees/document.ts";

/** A node, the number of nodes in it, and how deep it nests. */
export interface SizedNode {
  readonly node: DocumentNode;
  readonly size: number;
  readonly height: number;
}

/** Returns the size of a node without parts. */
export function sizedLeaf(node: DocumentNode): SizedNode {
  return { node, size: 1, height: 0 };
}

/** Returns the size of a node with `parts` in it. */
export function sizedNode(node: DocumentNode, parts: readonly SizedNode[]): SizedNode {
  let size = 1;
  let height = 0;
  for (const part of parts) {
    size += part.size;
    height = Math.max(height, part.height);
  }
  return { node, size, height: height + 1 };
}
