// Determines the types of the elements of arrays and of the values in objects.

import { alternativesOf } from "./alternatives.ts";
import { type ArrayType, arrayOf, type Type, unknown } from "./type.ts";
import { unionOf } from "./union.ts";

/** Returns the type of any element of the arrays in `type`; `Never` if it has no arrays, or only empty ones. */
export function elementsOf(type: Type): Type {
  return unionOf(
    alternativesOf(type).flatMap((alternative): Type[] => {
      if (alternative.kind === "Unknown") return [unknown];
      return alternative.kind === "Array" ? [alternative.items] : [];
    }),
  );
}

/** Longer arrays do not distinguish places: such lists are data. */
const mostPlaces = 16;

/**
 * Returns the type of the element at a known index, negative if counted from the end; otherwise the type of any
 * element.
 */
export function elementAt({ items, first }: ArrayType, index: number | bigint | undefined): Type {
  // An index from the end needs the length, which types do not contain.
  return first === undefined || index === undefined ? items : (first[Number(index)] ?? items);
}

/**
 * Returns an array with these elements in order. Does not distinguish places if the elements are equal or very many.
 */
export function arrayOfPlaces(elements: readonly Type[]): ArrayType {
  const items = unionOf(elements);
  const isMixed = items.kind === "Union" || elements.some((each) => each.kind !== items.kind);
  const isTuple = isMixed && elements.length <= mostPlaces;
  return isTuple ? { kind: "Array", items, first: elements } : arrayOf(items);
}

/** Returns the type of any value in the objects in `type`; `Never` if it has no objects, or only empty ones. */
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
