// Finds the target of a `$dynamicRef` of a JSON Schema in its file (JSON Schema 2020-12, section 8.2.3.2).

import type { ApiDocument } from "./api.ts";
import { type DocumentNode, findText } from "./document.ts";

/**
 * Returns the schemas with `$dynamicAnchor: name`, or otherwise `$anchor: name`, below `root`. If there are several,
 * the path to the reference decides at run time, so that only a single one is a target known at build time.
 */
function findDynamicTargets(root: DocumentNode, name: string): readonly DocumentNode[] {
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
function dynamicName(node: DocumentNode): string | undefined {
  return /^#([A-Za-z_][\w.-]*)$/.exec(findText(node, "$dynamicRef") ?? "")?.[1];
}

/**
 * Returns the schemas that the `$dynamicRef` of `node` may lead to: those of its own file, and those of the document that
 * replace them on the way from there.
 */
export function dynamicTargets(
  node: DocumentNode,
  { root, references }: Pick<ApiDocument, "root" | "references">,
): readonly DocumentNode[] {
  const name = dynamicName(node);
  if (name === undefined) return [];
  const isOfDocument = node.span.source.file === root.span.source.file;
  const targets = findDynamicTargets((isOfDocument ? undefined : references.rootOf(node)) ?? root, name);
  if (isOfDocument || targets.every((target) => findText(target, "$dynamicAnchor") !== name)) return targets;
  const ofDocument = findDynamicTargets(root, name);
  return [...targets, ...ofDocument.filter((target) => findText(target, "$dynamicAnchor") === name)];
}

/** Returns the target of the `$dynamicRef` of `node` if it is the only one. */
export function findDynamic(
  node: DocumentNode,
  api: Pick<ApiDocument, "root" | "references">,
): DocumentNode | undefined {
  const [only, ...others] = dynamicTargets(node, api);
  return others.length === 0 ? only : undefined;
}
