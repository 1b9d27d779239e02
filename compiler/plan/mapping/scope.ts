// The context of an expression during planning: the meaning of `this`, and the labels and variables in scope.

import type { CheckedFacts } from "../../check/mapping/checked.ts";
import type { Expression } from "../../trees/mapping.ts";
import type { Local, Planned, Slot } from "./ir.ts";

/** The meaning of `this` or of a label. */
export type ReadContext = { readonly kind: "document" } | Local;

/** Lowers an expression of any kind. */
export type Lower = (node: Expression, scope: PlanScope) => Planned;

/** The context in which an expression is lowered. */
export interface PlanScope {
  /** Lowers any expression. It is part of the scope so that files do not import each other in circles. */
  readonly lower: Lower;
  readonly facts: CheckedFacts;
  readonly current: ReadContext;
  /** The previous meaning of `this`, which a lambda restores. Only one level is kept. */
  readonly previous: ReadContext | undefined;
  readonly labels: ReadonlyMap<string, ReadContext>;
  readonly variables: Variables;
  /** Set if no message is being built: reads of `root` fail there. */
  readonly isRootless?: boolean;
}

/** The variables of one mapping or map, as far as its statements were planned. */
export interface Variables {
  readonly slots: Map<string, Slot>;
  /** The variables that are definitely assigned at this point. */
  assigned: Set<string>;
}

/** The message itself. */
export const documentContext: ReadContext = { kind: "document" };

/** Returns the scope at the top of a mapping, or of a map with its parameter as `current`. */
export function createScope(facts: CheckedFacts, current: ReadContext, lower: Lower): PlanScope {
  const variables: Variables = { slots: new Map(), assigned: new Set() };
  return { lower, facts, current, previous: undefined, labels: new Map(), variables };
}

/** Returns the scope of a query in which `this` is `local`. */
export function entered(scope: PlanScope, local: Local): PlanScope {
  return { ...scope, current: local, previous: scope.current };
}

/** Returns the scope of a lambda's body: the label gets the current `this`, and `this` is the previous context again. */
export function labelled(scope: PlanScope, label: string): PlanScope {
  const labels = label === "_" ? scope.labels : new Map(scope.labels).set(label, scope.current);
  return { ...scope, current: scope.previous ?? documentContext, previous: undefined, labels };
}

/** Creates a local, for a value that the plan names. */
export function createLocal(hint: string): Local {
  return { kind: "Local", hint };
}

/** Returns the plan of an expression in its scope. */
export function planExpression(node: Expression, scope: PlanScope): Planned {
  return scope.lower(node, scope);
}
