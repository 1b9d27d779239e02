// Finds the target of a `$dynamicRef` of a JSON Schema within its document (JSON Schema 2020-12, section 8.2.3.2).

import { type DocumentNode, findText } from "./document.ts";

/**
 * Returns the schemas with `$dynamicAnchor: name`, or otherwise `$anchor: name`, below `root`. If there are several,
 * the path to the reference decides at run time, so that only a single one is a target known at build time.
 */
export function findDynamicTargets(root: DocumentNode, name: string): readonly DocumentNode[] {
  const found = { $dynamicAnchor: new Set<DocumentNode>(), $anchor: new Set<DocumentNode>() };
  const visited = new Set<DocumentNode>();
  const pending: DocumentNode[] = [root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.kind === "scalar" || visited.has(at)) continue;
    visited.add(at);
    for (const keyword of ["$dynamicAnchor", "$anchor"] as const)
      if (findText(at, keyword) === name) found[keyword].add(at);
    // One by one: as spread arguments, a long list would overflow the call stack.
    if (at.kind === "list") for (const item of at.items) pending.push(item);
    else for (const { value } of at.entries) pending.push(value);
  }
  return [...(found.$dynamicAnchor.size > 0 ? found.$dynamicAnchor : found.$anchor)];
}

/** Returns the name in `$dynamicRef: "#name"`; `undefined` for a URL, a pointer and values that are not text. */
export function dynamicName(node: DocumentNode): string | undefined {
  return /^#([A-Za-z_][\w.-]*)$/.exec(findText(node, "$dynamicRef") ?? "")?.[1];
}

/** Returns the target of the `$dynamicRef` of `node` if it is the only one below `root`. */
export function findDynamic(node: DocumentNode, root: DocumentNode): DocumentNode | undefined {
  const name = dynamicName(node);
  const [only, ...others] = name === undefined ? [] : findDynamicTargets(root, name);
  return others.length === 0 ? only : undefined;
}
