// What tests reveal about a value: for each kind of test, the types that remain if it is true, and if it is false.

import { type Alternative, alternativesOf } from "../../../value-types/alternatives.ts";
import type { Type } from "../../../value-types/type.ts";
import { unionOf, without } from "../../../value-types/union.ts";
import { likenessOf, onlyValueOf } from "../equality.ts";
import type { Refine } from "./refine.ts";

/** `value == other` is true. */
export function equalTo(other: Type): Refine {
  const only = onlyValueOf(other);
  return (type) =>
    changed(type, (alternative) => {
      const possible =
        likenessOf(alternative, other) !== "never" || likenessOf(other, alternative) !== "never";
      if (!possible) return [];
      // Text equals bytes and timestamps with the same text, so only text itself is known to be this text.
      const isSameKind = only !== undefined && alternative.kind === alternativesOf(other)[0]?.kind;
      if (only === null && alternative.kind === "Unknown") return [other];
      return [isSameKind ? other : alternative];
    });
}

/** `value == other` is false. */
export function unlike(other: Type): Refine {
  const only = onlyValueOf(other);
  if (only === undefined) return (type) => type;
  return (type) =>
    changed(type, (alternative) => {
      if (alternative.kind === "Bool" && alternative.value === undefined && typeof only === "boolean") {
        return [{ kind: "Bool", value: !only }];
      }
      return likenessOf(alternative, other) === "always" ? [] : [alternative];
    });
}

/** The value itself is the condition, with this `outcome`: a bool, or a number that converts to one. */
export function decides(outcome: boolean): Refine {
  return (type) =>
    changed(type, (alternative) => {
      if (alternative.kind === "Bool") {
        return alternative.value === !outcome ? [] : [{ kind: "Bool", value: outcome }];
      }
      return alternative.kind === "Null" && outcome ? [] : [alternative];
    });
}

/** The value is one of a list with these types, or is none of them. */
export function oneOf(others: readonly Type[], isOne: boolean): Refine {
  if (!isOne) return (type) => others.reduce((left, other) => unlike(other)(left), type);
  return (type) => (type.kind === "Unknown" ? type : unionOf(others.map((other) => equalTo(other)(type))));
}

/** The value is not null. */
export const notNull: Refine = (type) => without(type, (member) => member.kind === "Null");

function changed(type: Type, change: (alternative: Alternative) => readonly Type[]): Type {
  const alternatives = alternativesOf(type);
  const left = alternatives.flatMap(change);
  const isWhole =
    left.length === alternatives.length && left.every((each, index) => each === alternatives[index]);
  return isWhole ? type : unionOf(left);
}
