// Decides whether values of two types can be equal, by the loose rules of the language.

import { type Alternative, alternativesOf } from "../../value-types/alternatives.ts";
import type { Type } from "../../value-types/type.ts";

/** Whether `left == right` is true for no values of the types, for some or unknown values, or for all values. */
export type Likeness = "never" | "maybe" | "always";

/**
 * Compares `left == right`; the left side decides what counts as equal. With `Never` on either side, nothing is known.
 */
export function likenessOf(left: Type, right: Type): Likeness {
  const found = new Set<Likeness>();
  for (const a of alternativesOf(left)) {
    for (const b of alternativesOf(right)) found.add(compare(a, b));
  }
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : "maybe";
}

/** Returns the only value of a type: a text, a whole number, a bool, or null; `undefined` if there are several. */
export function onlyValueOf(type: Type): string | bigint | boolean | null | undefined {
  const [first, ...others] = alternativesOf(type);
  if (first === undefined || others.length > 0) return undefined;
  if (first.kind === "Null") return null;
  return "value" in first ? first.value : undefined;
}

const families: Partial<Record<Type["kind"], "text" | "number">> = {
  String: "text",
  Bytes: "text",
  Timestamp: "text",
  Integer: "number",
  Float: "number",
};

function compare(a: Alternative, b: Alternative): Likeness {
  if (a.kind === "Unknown" || b.kind === "Unknown") return "maybe";
  const family = families[a.kind];
  if (family !== undefined) return families[b.kind] === family ? compareValues(a, b) : "never";
  switch (a.kind) {
    case "Null":
      return b.kind === "Null" ? "always" : "never";
    case "Bool":
      // A number on the right is converted to a bool; a number on the left is not.
      if (families[b.kind] === "number") return "maybe";
      return b.kind === "Bool" ? compareValues(a, b) : "never";
    case "Array":
    case "Object":
      return a.kind === b.kind ? "maybe" : "never";
    default:
      return "never";
  }
}

function compareValues(a: Alternative, b: Alternative): Likeness {
  const valueOfA = "value" in a ? a.value : undefined;
  const valueOfB = "value" in b ? b.value : undefined;
  if (valueOfA === undefined || valueOfB === undefined) return "maybe";
  return valueOfA === valueOfB ? "always" : "never";
}
