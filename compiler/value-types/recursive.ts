// The one maker of types that contain themselves.

import { type RecursiveType, type Type, unknown } from "./type.ts";

/**
 * A type that `compute` gives when it is first asked for, and never again. A type that needs itself to be computed
 * (a schema that is only a reference to itself) says nothing and is `Unknown`.
 */
export function recursive(name: string, compute: () => Type): RecursiveType {
  let state: Type | "untouched" | "computing" = "untouched";
  const unfold = (): Type => {
    if (state === "computing") return unknown;
    if (state === "untouched") {
      state = "computing";
      state = surface(compute(), unfold);
    }
    return state;
  };
  return { kind: "Recursive", name, unfold };
}

/** The type below all recursion at its surface, which `unfold` promises. */
function surface(type: Type, asking: () => Type): Type {
  let at = type;
  while (at.kind === "Recursive") {
    if (at.unfold === asking) return unknown;
    at = at.unfold();
  }
  return at;
}
