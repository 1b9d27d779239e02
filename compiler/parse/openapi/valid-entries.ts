// The entries of a large document that were valid in an earlier check of it: operations and components are judged one by one
// by OpenAPI's schemas, so that those which are the same objects need no second look.

import { type Json, type MapEntry, type MapNode, toJson } from "../../trees/document.ts";
import type { OpenapiVersion } from "./version.ts";
import type { Violation } from "./violations.ts";

/** The entries that were found valid, with the version of OpenAPI that they were validated against. */
export type ValidEntries = WeakMap<MapEntry, OpenapiVersion>;

/** What checks of the same documents keep about OpenAPI for each other. */
export interface OpenapiMemory {
  readonly valid: ValidEntries;
  /** By path of a document: what the validators said of it last, and of which JSON. */
  readonly violations: Map<string, { readonly json: string; readonly found: readonly Violation[] }>;
}

/** A memory with nothing in it. */
export function createOpenapiMemory(): OpenapiMemory {
  return { valid: new WeakMap(), violations: new Map() };
}

/** The JSON of a document without entries that are known to be valid; `undefined` where none is. */
export function jsonWithoutValid(
  root: MapNode,
  version: OpenapiVersion,
  valid: ValidEntries,
): { readonly [key: string]: Json } | undefined {
  const parts = collectionsOf(root).map(({ map }) => map);
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

/**
 * Remembers the entries of a document in which a validator found nothing. `violations`: all that it found, in the entries and
 * in what holds them.
 */
export function rememberValid(
  root: MapNode,
  version: OpenapiVersion,
  violations: readonly Violation[],
  valid: ValidEntries,
): void {
  const wrong = new Set(violations.flatMap(placesOf));
  for (const { path, map } of collectionsOf(root))
    for (const entry of map.entries)
      if (!wrong.has(`${path}/${pointerPart(entry.key)}`)) valid.set(entry, version);
}

/** The places of a violation down to an entry, and of the key that it names. */
function placesOf({ instancePath, params }: Violation): readonly string[] {
  const parts = instancePath.split("/");
  const named = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  const places = [parts.slice(0, 3).join("/"), parts.slice(0, 4).join("/")];
  return named === undefined ? places : [...places, `${instancePath}/${pointerPart(String(named))}`];
}

function pointerPart(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The paths, and the components of each kind. */
function collectionsOf(root: MapNode): readonly Collection[] {
  return root.entries.flatMap(({ key, value }): readonly Collection[] => {
    if (value.kind !== "map") return [];
    if (key === "paths") return [{ path: "/paths", map: value }];
    if (key !== "components") return [];
    return value.entries.flatMap(({ key: kind, value: part }) =>
      part.kind === "map" ? [{ path: `/components/${pointerPart(kind)}`, map: part }] : [],
    );
  });
}

/** A part of a document whose entries are judged one by one, and where it is. */
interface Collection {
  /** As a JSON pointer. */
  readonly path: string;
  readonly map: MapNode;
}
