// What planning knows at one place of a mapping: what `this` is, which labels and variables there are.

import type { CheckedFacts } from "../../check/mapping/checked.ts";
import type { Expression } from "../../trees/mapping.ts";
import type { Local, Planned, Slot } from "./ir.ts";

/** What `this` or a label stands for. */
export type ReadContext = { readonly kind: "document" } | Local;

/** Lowers an expression of any kind. */
export type Lower = (node: Expression, scope: PlanScope) => Planned;

/** A place of a mapping. */
export interface PlanScope {
  /** Lowers any expression; through the scope, so that files do not import each other in circles. */
  readonly lower: Lower;
  readonly facts: CheckedFacts;
  readonly current: ReadContext;
  /** What `this` was before; a lambda goes back to it. One level is remembered. */
  readonly previous: ReadContext | undefined;
  readonly labels: ReadonlyMap<string, ReadContext>;
  readonly variables: Variables;
  /** Set where no message is built: reads of `root` fail there. */
  readonly isRootless?: boolean;
}

/** The variables of one mapping or map, as far as its statements have been planned. */
export interface Variables {
  readonly slots: Map<string, Slot>;
  /** Those that are surely set here. */
  assigned: Set<string>;
}

/** The message itself. */
export const documentContext: ReadContext = { kind: "document" };

/** The scope at the top of a mapping, or of a map with its parameter as `current`. */
export function createScope(facts: CheckedFacts, current: ReadContext, lower: Lower): PlanScope {
  const variables: Variables = { slots: new Map(), assigned: new Set() };
  return { lower, facts, current, previous: undefined, labels: new Map(), variables };
}

/** The scope of a query whose `this` is `local`. */
export function entered(scope: PlanScope, local: Local): PlanScope {
  return { ...scope, current: local, previous: scope.current };
}

/** The scope of the body of a lambda: `this` goes back one level, the label holds what it was. */
export function labelled(scope: PlanScope, label: string): PlanScope {
  const labels = label === "_" ? scope.labels : new Map(scope.labels).set(label, scope.current);
  return { ...scope, current: scope.previous ?? documentContext, previous: undefined, labels };
}

/** A value the plan gives a name. */
export function createLocal(hint: string): Local {
  return { kind: "Local", hint };
}

/** The plan of an expression in its scope. */
export function planExpression(node: Expression, scope: PlanScope): Planned {
  return scope.lower(node, scope);
}
