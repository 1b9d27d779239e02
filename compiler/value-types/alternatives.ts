// A type in, the plain types it may turn out to be out: unions taken apart, recursive types one level unfolded.

import type { RecursiveType, Type, UnionType } from "./type.ts";

/** What `alternativesOf` gives: a type whose `kind` says all there is to decide by. */
export type Alternative = Exclude<Type, UnionType | RecursiveType>;

/**
 * The types a value of `type` is one of, in order. `Never` has none; `Unknown` is the only one where it occurs at
 * all. A recursive type that is nothing but itself has none either.
 */
export function alternativesOf(type: Type): readonly Alternative[] {
  const found: Alternative[] = [];
  collect(type, found, new Set());
  const open = found.find(({ kind }) => kind === "Unknown");
  return open === undefined ? found : [open];
}

/** The type with recursion at its surface unfolded; below it stays. */
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
