// The entries of a large document that were valid in an earlier check of it: operations and components are judged one by one
// by OpenAPI's schemas, so that those which are the same objects need no second look.

import { type Json, type MapEntry, type MapNode, toJson } from "../../trees/document.ts";
import type { OpenapiVersion } from "./version.ts";

/** The entries that were found valid, with the version of OpenAPI that they were validated against. */
export type ValidEntries = WeakMap<MapEntry, OpenapiVersion>;

/** The JSON of a document without entries that are known to be valid; `undefined` where none is. */
export function jsonWithoutValid(
  root: MapNode,
  version: OpenapiVersion,
  valid: ValidEntries,
): { readonly [key: string]: Json } | undefined {
  const parts = collectionsOf(root);
  if (!parts.some(({ entries }) => entries.some((entry) => valid.has(entry)))) return undefined;
  const isLeft = (entry: MapEntry) => valid.get(entry) !== version;
  const jsonOf = (map: MapNode): { readonly [key: string]: Json } =>
    Object.fromEntries(
      map.entries.map(({ key, value }) => {
        if (value.kind !== "map") return [key, toJson(value)];
        if (parts.includes(value)) return [key, jsonOf({ ...value, entries: value.entries.filter(isLeft) })];
        return [key, map === root && key === "components" ? jsonOf(value) : toJson(value)];
      }),
    );
  return jsonOf(root);
}

/** Remembers that a whole document is valid. */
export function rememberValid(root: MapNode, version: OpenapiVersion, valid: ValidEntries): void {
  for (const { entries } of collectionsOf(root)) for (const entry of entries) valid.set(entry, version);
}

/** The paths, and the components of each kind. */
function collectionsOf(root: MapNode): readonly MapNode[] {
  return root.entries.flatMap(({ key, value }): readonly MapNode[] => {
    if (value.kind !== "map") return [];
    if (key === "paths") return [value];
    if (key !== "components") return [];
    return value.entries.flatMap(({ value: part }) => (part.kind === "map" ? [part] : []));
  });
}
