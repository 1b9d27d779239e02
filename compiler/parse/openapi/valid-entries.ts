// Remembers the entries of a large document that were valid in an earlier check. OpenAPI's schemas judge operations and
// components one by one, so entries that are the same objects need no second validation.

import { type Json, type MapEntry, type MapNode, toJson } from "../../trees/document.ts";
import { escapeKey } from "../../trees/pointer.ts";
import type { OpenapiVersion } from "./version.ts";
import type { Violation } from "./violations.ts";

/** The entries, and collections of entries, that were valid, with the version of OpenAPI they were validated against. */
export type ValidEntries = WeakMap<MapEntry | MapNode, OpenapiVersion>;

/** Results of OpenAPI validation that successive checks of the same documents share. */
export interface OpenapiMemory {
  readonly valid: ValidEntries;
  /** By document path: the last violations that the validators found, and the JSON that they validated. */
  readonly violations: Map<string, { readonly json: string; readonly found: readonly Violation[] }>;
}

/** Returns an empty memory. */
export function createOpenapiMemory(): OpenapiMemory {
  return { valid: new WeakMap(), violations: new Map() };
}

/** Returns the JSON of a document without entries that are known to be valid; `undefined` if there are none. */
export function jsonWithoutValid(
  root: MapNode,
  version: OpenapiVersion,
  valid: ValidEntries,
): { readonly [key: string]: Json } | undefined {
  const parts = collectionsOf(root).map(({ map }) => map);
  if (!parts.some((part) => valid.has(part) || part.entries.some((entry) => valid.has(entry))))
    return undefined;
  const isLeft = (known: MapEntry | MapNode) => valid.get(known) !== version;
  const leftOf = (part: MapNode) => (isLeft(part) ? part.entries.filter(isLeft) : []);
  const jsonOf = (map: MapNode): { readonly [key: string]: Json } =>
    Object.fromEntries(
      map.entries.map(({ key, value }) => {
        if (value.kind !== "map") return [key, toJson(value)];
        if (parts.includes(value)) return [key, jsonOf({ ...value, entries: leftOf(value) })];
        return [key, map === root && key === "components" ? jsonOf(value) : toJson(value)];
      }),
    );
  return jsonOf(root);
}

/**
 * Remembers the entries of a document in which a validator found nothing. `violations`: everything that it found, in
 * the entries and in the objects around them.
 */
export function rememberValid(
  root: MapNode,
  version: OpenapiVersion,
  violations: readonly Violation[],
  valid: ValidEntries,
): void {
  const wrong = new Set(violations.flatMap(placesOf));
  for (const { path, map } of collectionsOf(root)) {
    if (valid.get(map) === version) continue;
    for (const entry of map.entries)
      if (wrong.size === 0 || !wrong.has(`${path}/${escapeKey(entry.key)}`)) valid.set(entry, version);
    if (wrong.size === 0) valid.set(map, version);
  }
}

/** Returns the places of a violation down to an entry, and of the key that it names. */
function placesOf({ instancePath, params }: Violation): readonly string[] {
  const parts = instancePath.split("/");
  const named = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  const places = [parts.slice(0, 3).join("/"), parts.slice(0, 4).join("/")];
  return named === undefined ? places : [...places, `${instancePath}/${escapeKey(String(named))}`];
}

/** Returns the paths, and the components of each kind. */
function collectionsOf(root: MapNode): readonly Collection[] {
  return root.entries.flatMap(({ key, value }): readonly Collection[] => {
    if (value.kind !== "map") return [];
    if (key === "paths") return [{ path: "/paths", map: value }];
    if (key !== "components") return [];
    return value.entries.flatMap(({ key: kind, value: part }) =>
      part.kind === "map" ? [{ path: `/components/${escapeKey(kind)}`, map: part }] : [],
    );
  });
}

/** A part of a document whose entries are judged one by one, and its place. */
interface Collection {
  /** A JSON pointer. */
  readonly path: string;
  readonly map: MapNode;
}
