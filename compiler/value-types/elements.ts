// Types of arrays and objects in, the types of what they hold out.

import { alternativesOf } from "./alternatives.ts";
import { type Type, unknown } from "./type.ts";
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
