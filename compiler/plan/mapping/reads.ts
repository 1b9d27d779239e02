// Lowers what has two spellings: variables and fallbacks.

import type { Span } from "../../source/source.ts";
import { anything } from "./facts.ts";
import type { Planned } from "./ir.ts";
import type { PlanScope } from "./scope.ts";

/** `$name` */
export function planVariable(name: string, span: Span, scope: PlanScope): Planned {
  const { slots, assigned } = scope.variables;
  const surely = assigned.has(name);
  return {
    kind: "ReadVariable",
    name,
    slot: slots.get(name),
    assigned: surely,
    ...anything(span, `variable ${name}`),
    fails: surely ? "never" : "maybe",
  };
}

/** `left | right`, also spelled `left.or(right)`. */
export function planCoalesce(left: Planned, right: Planned, span: Span, from: string): Planned {
  const { fails, absence } = right;
  return { kind: "Coalesce", left, right, ...anything(span, from), fails, absence };
}
