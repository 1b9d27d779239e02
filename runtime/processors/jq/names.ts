// The names in scope of a part of a query, and the values that they hold at run time.

import type { Closure, Filter, JqScope } from "./filter.ts";
import type { Definition } from "./syntax.ts";

/** The names that a query can use, innermost first. */
export interface JqNames {
  readonly outer: JqNames | undefined;
  readonly entry: NameEntry | FunctionEntry;
  /** The number of names that hold something at run time. */
  readonly held: number;
}

/** A variable, a label, or a parameter that is a query. */
export interface NameEntry {
  readonly kind: "value" | "label" | "parameter";
  readonly name: string;
}

/** A function of the query. Its body is compiled after the name is defined, because it may call itself. */
export interface FunctionEntry {
  readonly kind: "function";
  readonly definition: Definition;
  readonly compiled: { body?: Filter };
}

/** Returns the names with one more. */
export function naming(outer: JqNames | undefined, kind: NameEntry["kind"], name: string): JqNames {
  return { outer, entry: { kind, name }, held: (outer?.held ?? 0) + 1 };
}

/** Returns the entry of a name, and its distance: the number of names before it that hold something. */
export function findName<E extends NameEntry | FunctionEntry>(
  names: JqNames | undefined,
  is: (entry: NameEntry | FunctionEntry) => entry is E,
): { readonly entry: E; readonly distance: number } | undefined {
  for (let at = names; at !== undefined; at = at.outer) {
    const { entry, held } = at;
    if (is(entry)) return { entry, distance: (names?.held ?? 0) - held };
  }
  return undefined;
}

/** Returns the scope at a distance. */
export function scopeAt(scope: JqScope, distance: number): JqScope {
  let at: JqScope = scope;
  for (let left = distance; left > 0 && at.outer !== undefined; left--) at = at.outer;
  return at;
}

/** Returns the value held at a distance. */
export function heldAt(scope: JqScope, distance: number): JqScope["held"] {
  return scopeAt(scope, distance).held;
}

/** Returns a query bound to its scope. */
export function closed(filter: Filter, scope: JqScope): Closure {
  return (input, path, emit) => filter(scope, input, path, emit);
}
