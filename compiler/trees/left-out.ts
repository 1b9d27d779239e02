// Finds fields that are written but have no effect. Reference engines write out every field with its default, and
// gateways export blocks that are switched off. Both have the same meaning as a document without them.

import { isAbsentWhenEmpty, refusesZero } from "../../schemas/empty-text.ts";
import type { Schema } from "../../schemas/schema.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { type DocumentNode, findNode, type MapEntry, type ScalarNode } from "./document.ts";

/**
 * Whether an entry of an object with the schema `owner` means the same as its absence: `address: ""` of an unsupported
 * field, `key: ""` of an optional field that accepts no empty text, the content of a block with `enabled: false`, except
 * fields of protections, which a warning names, and zero values of optional fields where tools write out every field.
 */
export function isLeftOut(entry: MapEntry, owner: Schema, isInOff: boolean): boolean {
  const { key, value } = entry;
  const own = Object.hasOwn(owner.properties ?? {}, key) ? owner.properties?.[key] : undefined;
  if (own === undefined) {
    if (isInOff) return true;
    if (isNotTaken(key, owner)) return saysNothing(value, owner["x-written-out"] === true);
    return isUnknownBlockOff(entry, owner);
  }
  if (isInOff && !isReadInOff(key, owner)) return true;
  if (value.kind !== "scalar") return false;
  if (isInOff && value.value === "") return true;
  if (owner.required?.includes(own["x-alias"] ?? key) === true) return false;
  if (owner["x-written-out"] === true && isZero(value, own)) return true;
  return value.value === "" && isAbsentWhenEmpty(own);
}

/**
 * Whether a value of a supported field is the one that tools write if the field is not set. An allow list with `null`
 * is not: it could mean that nothing is allowed. A key without a value is not either: its value may be missing.
 */
function isZero(node: ScalarNode, schema: Schema): boolean {
  if (node.value === null) return node.text.text !== "" && schema["x-allow-list"] !== true;
  return refusesZero(schema, node.value);
}

/**
 * Whether an entry is a switched-off block of another gateway: dashboards write out all blocks they know. A name that
 * resembles a known one is a mistake: a misspelt name does not switch off a block that is on by default.
 */
function isUnknownBlockOff({ key, value }: MapEntry, owner: Schema): boolean {
  return (
    owner["x-written-out"] === true &&
    isOff(value) &&
    suggest(key, Object.keys(owner.properties ?? {})) === undefined
  );
}

/** Whether a block is written with `enabled: false`, so that its content has no effect and is not checked. */
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
 * Whether a value is `""`, a block that is off, or a list or block that contains only such values. Where tools write out
 * every field (`isWrittenOut`), `false`, 0, `null` and `{}` are values of fields that are not set. Elsewhere, `false` may
 * have a meaning, and `{}` may select an option: `csv: {}`.
 */
function saysNothing(node: DocumentNode, isWrittenOut: boolean): boolean {
  const isNothing = (inner: DocumentNode) => saysNothing(inner, isWrittenOut);
  if (node.kind === "scalar") return node.value === "" || (isWrittenOut && !node.value);
  if (node.kind === "list") return node.items.every(isNothing);
  if (isOff(node) || (isWrittenOut && node.entries.length === 0)) return true;
  return node.entries.length > 0 && node.entries.every(({ value }) => isNothing(value));
}

function isOff(node: DocumentNode): boolean {
  const enabled = findNode(node, "enabled");
  return enabled?.kind === "scalar" && enabled.value === false;
}
