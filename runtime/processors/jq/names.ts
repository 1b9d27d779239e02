// The names around a part of a query, and what each of them holds when it runs.

import type { Closure, Filter, JqScope } from "./filter.ts";
import type { Definition } from "./syntax.ts";

/** The names that a query may use, inner ones first. */
export interface JqNames {
  readonly outer: JqNames | undefined;
  readonly entry: NameEntry | FunctionEntry;
  /** How many of them hold something when the query runs. */
  readonly held: number;
}

/** A variable, a label, or a parameter that is a query. */
export interface NameEntry {
  readonly kind: "value" | "label" | "parameter";
  readonly name: string;
}

/** A function of the query; its body is compiled after its name is known, as it may call itself. */
export interface FunctionEntry {
  readonly kind: "function";
  readonly definition: Definition;
  readonly compiled: { body?: Filter };
}

/** The names with one more. */
export function naming(outer: JqNames | undefined, kind: NameEntry["kind"], name: string): JqNames {
  return { outer, entry: { kind, name }, held: (outer?.held ?? 0) + 1 };
}

/** What is known under a name, and how many names that hold something lie before it. */
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

/** The scope at a distance. */
export function scopeAt(scope: JqScope, distance: number): JqScope {
  let at: JqScope = scope;
  for (let left = distance; left > 0 && at.outer !== undefined; left--) at = at.outer;
  return at;
}

/** What is held at a distance. */
export function heldAt(scope: JqScope, distance: number): JqScope["held"] {
  return scopeAt(scope, distance).held;
}

/** A query with the names around it. */
export function closed(filter: Filter, scope: JqScope): Closure {
  return (input, path, emit) => filter(scope, input, path, emit);
}
