// Two types in, whether values of them can be equal out, by the loose rules of the language.

import { type Alternative, alternativesOf } from "../../value-types/alternatives.ts";
import type { Type } from "../../value-types/type.ts";

/** Whether `left == right` holds: for no values of the types, for all of them, or who knows. */
export type Likeness = "never" | "maybe" | "always";

/** `left == right`; the left side decides what counts as equal. `Never` on either side tells nothing. */
export function likenessOf(left: Type, right: Type): Likeness {
  const found = new Set<Likeness>();
  for (const a of alternativesOf(left)) {
    for (const b of alternativesOf(right)) found.add(compare(a, b));
  }
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : "maybe";
}

/** The one value of a type that is known to have only one: a text, a whole number, a bool, or null. */
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
      // A number on the right counts as the bool it stands for; on the left it does not.
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
