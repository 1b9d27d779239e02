// Splits a type into its alternatives: expands unions, and unfolds recursive types by one level.

import type { RecursiveType, Type, UnionType } from "./type.ts";

/** The result of `alternativesOf`: a type that can be handled by its `kind` alone. */
export type Alternative = Exclude<Type, UnionType | RecursiveType>;

/**
 * Returns the alternatives of `type`, in order. `Never` has none. If `Unknown` occurs, it is the only one. A recursive
 * type that is only a reference to itself has none either.
 */
export function alternativesOf(type: Type): readonly Alternative[] {
  const found: Alternative[] = [];
  collect(type, found, new Set());
  const open = found.find(({ kind }) => kind === "Unknown");
  return open === undefined ? found : [open];
}

/** Returns the type with outer recursion unfolded; inner recursion stays. */
export function unfolded(type: Type): Exclude<Type, RecursiveType> {
  const met = new Set<() => Type>();
  let at = type;
  while (at.kind === "Recursive") {
    if (met.has(at.unfold)) return { kind: "Never" };
    met.add(at.unfold);
    at = at.unfold();
  }
  return at;
}

function collect(type: Type, found: Alternative[], unfolding: Set<() => Type>): void {
  switch (type.kind) {
    case "Never":
      return;
    case "Union":
      for (const member of type.members) collect(member, found, unfolding);
      return;
    case "Recursive":
      if (unfolding.has(type.unfold)) return;
      unfolding.add(type.unfold);
      collect(type.unfold(), found, unfolding);
      return;
    default:
      found.push(type);
  }
}
