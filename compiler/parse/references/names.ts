// Finds schemas by the names they declare: `$anchor` within a document, `$id` as a whole URL.

import { type DocumentNode, findText } from "../../trees/document.ts";

/** Finds named schemas. Each document is searched once, on first use. */
export interface NameIndex {
  /** Returns the object with `$anchor: name`. */
  findAnchor(root: DocumentNode, name: string): DocumentNode | undefined;
  /** Returns the object with `$id: url`. */
  findId(root: DocumentNode | undefined, url: string): DocumentNode | undefined;
}

/** Returns an index that has searched no document yet. */
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

/** Indexes objects by `#anchor` and by `$id`. The first of several objects with one name is used. */
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
