// Schemas by the names they give themselves: `$anchor` within a document, `$id` by a whole URL.

import { type DocumentNode, findText } from "../../trees/document.ts";

/** Finds named schemas; each document is searched once, when first asked about. */
export interface NameIndex {
  /** The object with `$anchor: name`. */
  findAnchor(root: DocumentNode, name: string): DocumentNode | undefined;
  /** The object with `$id: url`. */
  findId(root: DocumentNode | undefined, url: string): DocumentNode | undefined;
}

/** Names of no document yet. */
export function createNames(): NameIndex {
  const indexes = new Map<DocumentNode, ReadonlyMap<string, DocumentNode>>();
  const indexOf = (root: DocumentNode) => {
    const known = indexes.get(root) ?? indexNames(root);
    indexes.set(root, known);
    return known;
  };
  return {
    findAnchor: (root, name) => indexOf(root).get(`#${name}`),
    findId: (root, url) => root && indexOf(root).get(url),
  };
}

/** Objects by `#anchor` and by `$id`; of two of one name, the first. */
function indexNames(root: DocumentNode): ReadonlyMap<string, DocumentNode> {
  const index = new Map<string, DocumentNode>();
  const pending = [root];
  const visited = new Set<DocumentNode>();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === "scalar" || visited.has(node)) continue;
    visited.add(node);
    for (const name of namesOf(node)) if (!index.has(name)) index.set(name, node);
    const children = node.kind === "list" ? node.items : node.entries.map((entry) => entry.value);
    for (let last = children.length - 1; last >= 0; last--) {
      const child = children[last];
      if (child !== undefined) pending.push(child);
    }
  }
  return index;
}

function namesOf(node: DocumentNode): readonly string[] {
  const anchors = [findText(node, "$anchor"), findText(node, "$dynamicAnchor")];
  const id = findText(node, "$id");
  const names = anchors.flatMap((anchor) => (anchor === undefined ? [] : [`#${anchor}`]));
  return id === undefined ? names : [...names, id];
}
