// Types of arrays and objects in, the types of what they hold out.

import { alternativesOf } from "./alternatives.ts";
import { type ArrayType, arrayOf, type Type, unknown } from "./type.ts";
import { unionOf } from "./union.ts";

/** Of any element of the arrays among the values of `type`; `Never` where it has none, or only empty ones. */
export function elementsOf(type: Type): Type {
  return unionOf(
    alternativesOf(type).flatMap((alternative): Type[] => {
      if (alternative.kind === "Unknown") return [unknown];
      return alternative.kind === "Array" ? [alternative.items] : [];
    }),
  );
}

/** Places of longer arrays are not told apart: such lists are data. */
const toldPlaces = 16;

/** Of the element at a place that is known now, counted from the end where it is negative, else of any. */
export function elementAt({ items, first }: ArrayType, index: number | bigint | undefined): Type {
  // From the end it takes the length, which types do not tell.
  return first === undefined || index === undefined ? items : (first[Number(index)] ?? items);
}

/** An array of elements that stand in these places; equal ones, and very many, are not told apart. */
export function arrayOfPlaces(elements: readonly Type[]): ArrayType {
  const items = unionOf(elements);
  const isMixed = items.kind === "Union" || elements.some((each) => each.kind !== items.kind);
  const isTold = isMixed && elements.length <= toldPlaces;
  return isTold ? { kind: "Array", items, first: elements } : arrayOf(items);
}

/** Of any value in the objects among the values of `type`; `Never` where it has none, or only empty ones. */
export function valuesOf(type: Type): Type {
  return unionOf(
    alternativesOf(type).flatMap((alternative): Type[] => {
      if (alternative.kind === "Unknown") return [unknown];
      if (alternative.kind !== "Object") return [];
      const { fields, rest } = alternative;
      return [...Array.from(fields.values(), (field) => field.type), ...(rest === undefined ? [] : [rest])];
    }),
  );
}
