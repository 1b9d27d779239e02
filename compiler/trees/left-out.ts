// Fields that stand there and say nothing. Reference engines write out every field with its default, and gateways
// export blocks that are switched off: both mean what a document without them means.

import { isAbsentWhenEmpty } from "../../schemas/empty-text.ts";
import type { Schema } from "../../schemas/schema.ts";
import { type DocumentNode, findNode, type MapEntry } from "./document.ts";

/**
 * Whether an entry of an object that `owner` describes says as little as its absence: `address: ""` of a field
 * that is not taken at all, `key: ""` of one that may be left out and takes no empty text, and any empty text in
 * a block with `enabled: false`.
 */
export function isLeftOut(entry: MapEntry, owner: Schema, isInOff: boolean): boolean {
  const { key, value } = entry;
  const own = Object.hasOwn(owner.properties ?? {}, key) ? owner.properties?.[key] : undefined;
  if (own === undefined) return isNotTaken(key, owner) && saysNothing(value);
  if (value.kind !== "scalar" || value.value !== "") return false;
  if (isInOff) return true;
  const isNeeded = owner.required?.includes(own["x-alias"] ?? key) === true;
  return !isNeeded && isAbsentWhenEmpty(own);
}

/** Whether a block is written with `enabled: false`, so that nothing in it counts. */
export function isSwitchedOff(node: DocumentNode, schema: Schema): boolean {
  return schema.properties?.enabled?.type === "boolean" && isOff(node);
}

function isNotTaken(key: string, owner: Schema): boolean {
  const withReasons = { ...owner["x-refused"], ...owner["x-without-effect"] };
  return owner["x-unsupported"]?.includes(key) === true || Object.hasOwn(withReasons, key);
}

/** `""`, `[]` and blocks that are off. `false` may ask for something, and `{}` may name a choice: `csv: {}`. */
function saysNothing(node: DocumentNode): boolean {
  if (node.kind === "scalar") return node.value === "";
  if (node.kind === "list") return node.items.length === 0;
  return isOff(node);
}

function isOff(node: DocumentNode): boolean {
  const enabled = findNode(node, "enabled");
  return enabled?.kind === "scalar" && enabled.value === false;
}
