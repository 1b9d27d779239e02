// Finds schemas by the names they give themselves: `$anchor` within a document, `$id` by a whole URL.

import { type DocumentNode, findText } from "../document/tree.ts";

/** The object with `$anchor: name`. */
export function findAnchor(root: DocumentNode, name: string): DocumentNode | undefined {
  return findByField(root, "$anchor", name) ?? findByField(root, "$dynamicAnchor", name);
}

/** The object with `$id: url`. */
export function findById(root: DocumentNode | undefined, url: string): DocumentNode | undefined {
  return root && findByField(root, "$id", url);
}

function findByField(root: DocumentNode, field: string, text: string): DocumentNode | undefined {
  const pending = [root];
  const visited = new Set<DocumentNode>();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === "scalar" || visited.has(node)) continue;
    visited.add(node);
    if (findText(node, field) === text) return node;
    const children = node.kind === "list" ? node.items : node.entries.map((entry) => entry.value);
    pending.push(...children.toReversed());
  }
  return undefined;
}
