// Comparisons with the length of a value in; what they tell of the value itself out: that there is one, where what
// stands in for it is empty.

import type { BinaryOperator, Expression } from "../../../trees/mapping.ts";
import { alternativesOf } from "../../../value-types/alternatives.ts";
import type { Type } from "../../../value-types/type.ts";
import { unionOf } from "../../../value-types/union.ts";
import { onlyValueOf } from "../equality.ts";
import type { PlaceReference } from "../place.ts";
import type { Scope } from "../scope.ts";
import { referenceOf } from "./references.ts";
import type { Refine } from "./refine.ts";

/** `this.a` of `this.a.or([]).length()`, seen as its length; `undefined` for what is not a length. */
export function lengthReferenceOf(node: Expression, scope: Scope): PlaceReference | undefined {
  if (node.kind === "Group") return lengthReferenceOf(node.inner, scope);
  if (node.kind !== "MethodCall" || node.name.text !== "length") return undefined;
  const measured = referenceOf(node.receiver, scope);
  if (measured === undefined) return undefined;
  const { of } = measured.view;
  const view = {
    of: (alternative: Type) => unionOf(alternativesOf(of(alternative)).map(lengthOf)),
    back: (alternative: Type) => alternative,
  };
  return { ...measured, view };
}

/** Only that something is empty is known of types. */
function lengthOf(type: Type): Type {
  const isEmpty =
    (type.kind === "Array" && type.items.kind === "Never") ||
    (type.kind === "Object" && type.fields.size === 0 && type.rest === undefined) ||
    (type.kind === "String" && type.value === "");
  return isEmpty ? { kind: "Integer", value: 0n } : { kind: "Integer" };
}

/** What is known of `value` after `value > other` held, or did not; `undefined` for operators that do not order. */
export function orderedBy(operator: BinaryOperator, other: Type, isTrue: boolean): Refine | undefined {
  const limit = onlyValueOf(other);
  const compare = orders[operator];
  if (typeof limit !== "bigint" || compare === undefined) return undefined;
  const isLeft = (type: Type) =>
    type.kind !== "Integer" || type.value === undefined || compare(type.value, limit) === isTrue;
  return (type) => unionOf(alternativesOf(type).filter(isLeft));
}

const orders: Readonly<Partial<Record<BinaryOperator, (a: bigint, b: bigint) => boolean>>> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** `a > b` is `b < a`. */
export const mirrored: Readonly<Partial<Record<BinaryOperator, BinaryOperator>>> = {
  ">": "<",
  ">=": "<=",
  "<": ">",
  "<=": ">=",
};
