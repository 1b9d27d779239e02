// Fields that stand there and say nothing. Reference engines write out every field with its default, and gateways
// export blocks that are switched off: both mean what a document without them means.

import { isAbsentWhenEmpty } from "../../schemas/empty-text.ts";
import type { Schema } from "../../schemas/schema.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { type DocumentNode, findNode, type MapEntry } from "./document.ts";

/**
 * Whether an entry of an object that `owner` describes says as little as its absence: `address: ""` of a field that is not
 * taken at all, `key: ""` of one that may be left out and takes no empty text, and whatever stands in a block with
 * `enabled: false`, except fields of protections, which a warning names.
 */
export function isLeftOut(entry: MapEntry, owner: Schema, isInOff: boolean): boolean {
  const { key, value } = entry;
  const own = Object.hasOwn(owner.properties ?? {}, key) ? owner.properties?.[key] : undefined;
  if (own === undefined) {
    if (isInOff) return true;
    if (isNotTaken(key, owner)) return saysNothing(value);
    return isUnknownBlockOff(entry, owner);
  }
  if (isInOff && !isReadInOff(key, owner)) return true;
  if (value.kind !== "scalar" || value.value !== "") return false;
  if (isInOff) return true;
  const isNeeded = owner.required?.includes(own["x-alias"] ?? key) === true;
  return !isNeeded && isAbsentWhenEmpty(own);
}

/**
 * A block of another gateway that is off, where dashboards write out all that they know. A name that resembles a known one
 * is a mistake: a misspelt name of a block that is on by default does not switch it off.
 */
function isUnknownBlockOff({ key, value }: MapEntry, owner: Schema): boolean {
  return (
    owner["x-written-out"] === true &&
    isOff(value) &&
    suggest(key, Object.keys(owner.properties ?? {})) === undefined
  );
}

/** Whether a block is written with `enabled: false`, so that nothing in it counts or is judged. */
export function isSwitchedOff(node: DocumentNode, schema: Schema): boolean {
  return schema.properties?.enabled?.type === "boolean" && isOff(node);
}

function isReadInOff(key: string, owner: Schema): boolean {
  return key === "enabled" || owner["x-protection"]?.includes(key) === true;
}

function isNotTaken(key: string, owner: Schema): boolean {
  const withReasons = { ...owner["x-refused"], ...owner["x-without-effect"] };
  return owner["x-unsupported"]?.includes(key) === true || Object.hasOwn(withReasons, key);
}

/**
 * `""`, blocks that are off, and lists and blocks of nothing else. `false` may ask for something, and `{}` may name a
 * choice: `csv: {}`.
 */
function saysNothing(node: DocumentNode): boolean {
  if (node.kind === "scalar") return node.value === "";
  if (node.kind === "list") return node.items.every(saysNothing);
  return isOff(node) || (node.entries.length > 0 && node.entries.every(({ value }) => saysNothing(value)));
}

function isOff(node: DocumentNode): boolean {
  const enabled = findNode(node, "enabled");
  return enabled?.kind === "scalar" && enabled.value === false;
}
