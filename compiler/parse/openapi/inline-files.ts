// A document as plain JSON for a validator: references into other files are replaced by what they lead to,
// so that it is validated too; references within the document stay, as their targets are in it anyway.

import type { References } from "../../trees/api.ts";
import type { DocumentNode, Json, MapNode } from "../../trees/document.ts";
import { maximumExpansion } from "../document/limits.ts";
import { findReference } from "../references/locate.ts";

/** The JSON of a document whose references were followed. */
export function inlineFiles(root: MapNode, references: References): { readonly [key: string]: Json } {
  const home = root.span.source.file;
  const open = new Set<DocumentNode>();
  let left = maximumExpansion;
  return mapJson(root);

  function toJson(node: DocumentNode): Json {
    if (node.kind === "scalar") return typeof node.value === "bigint" ? Number(node.value) : node.value;
    if (node.kind === "list") return node.items.map(toJson);
    const target = findForeign(node);
    return target === undefined ? mapJson(node) : inline(target);
  }

  function mapJson(map: MapNode): { readonly [key: string]: Json } {
    return Object.fromEntries(map.entries.map((entry) => [entry.key, toJson(entry.value)]));
  }

  /** Where a reference leaves the document, or stands outside it. */
  function findForeign(node: MapNode): DocumentNode | undefined {
    if (findReference(node) === undefined) return undefined;
    const target = references.resolve(node);
    return target === node || target?.span.source.file === home ? undefined : target;
  }

  function inline(target: DocumentNode): Json {
    left--;
    // Circles, and parts shared too often, end in a reference, which may stand wherever one stood.
    if (open.has(target) || left < 0) return { $ref: "#" };
    open.add(target);
    const json = toJson(target);
    open.delete(target);
    return json;
  }
}
