// `merge` of values that have a field in common: it makes an array of both, where most people want the new one.

import type { Expression, MethodCall } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import type { Type } from "../../value-types/type.ts";
import type { Scope } from "./scope.ts";

/**
 * Tells of each field of an object written out in `merge(…)` that is one value there and one value in the
 * object it is merged into.
 */
export function tellCollisions(node: MethodCall, target: Type, added: Type | undefined, scope: Scope): void {
  const literal = node.args[0]?.value;
  if (node.name.text !== "merge" || literal?.kind !== "ObjectLiteral" || added === undefined) return;
  if (!scope.isRepeated) tellEntries(literal, target, added, scope);
}

function tellEntries(literal: Expression, target: Type, added: Type, scope: Scope): void {
  if (literal.kind !== "ObjectLiteral") return;
  for (const entry of literal.entries) {
    const key = entry.key.kind === "StringLiteral" ? entry.key.value : undefined;
    const ours = key === undefined ? undefined : fieldOf(target, key);
    const theirs = key === undefined ? undefined : fieldOf(added, key);
    if (key === undefined || ours === undefined || theirs === undefined) continue;
    if (isOneValue(ours) && isOneValue(theirs)) scope.inference.report("GW4090", entry.key.span, { key });
    // Objects are merged field by field in turn.
    else tellEntries(entry.value, ours, theirs, scope);
  }
}

/** The type of a field that all alternatives surely have. */
function fieldOf(type: Type, name: string): Type | undefined {
  if (type.kind !== "Object") return undefined;
  const field = type.fields.get(name);
  return field?.required === true ? field.type : undefined;
}

/** Whether a value is surely neither an object, nor an array, nor missing. */
function isOneValue(type: Type): boolean {
  const kinds = alternativesOf(type).map(({ kind }) => kind);
  return kinds.length > 0 && kinds.every((kind) => single.has(kind));
}

const single: ReadonlySet<string> = new Set(["Bool", "Integer", "Float", "String", "Bytes", "Timestamp"]);
