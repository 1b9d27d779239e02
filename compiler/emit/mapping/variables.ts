// Emits variables of a mapping as variables of the function.

import type { FindVariable, ReadVariable, Slot } from "../../plan/mapping/ir.ts";
import { call, code, literal, objectOf, raw } from "../code.ts";
import { emitValue } from "./dispatch.ts";
import { type Emitted, primary } from "./precedence.ts";
import { runtime } from "./runtime.ts";
import type { EmitScope } from "./scope.ts";

/** `total`, with a check if it may be unset. */
export function emitVariable({ name, slot, assigned }: ReadVariable, scope: EmitScope): Emitted {
  if (slot === undefined) {
    return primary(call(runtime("findVariable"), [givenVariables(scope), literal(name)]));
  }
  const variable = raw(slotName(slot, scope));
  // Inside a function expression TypeScript does not narrow variables. The check costs almost nothing.
  const sure = slot.constant || (assigned && !scope.nested);
  return primary(sure ? variable : call(runtime("variable"), [variable, literal(name)]));
}

/** `var(name)` with a computed name. */
export function emitFindVariable({ name, slots }: FindVariable, scope: EmitScope): Emitted {
  const known = slots.map((slot) => [slot.name, raw(slotName(slot, scope))] as const);
  const variables = known.length === 0 ? givenVariables(scope) : objectOf(known);
  return primary(call(runtime("findVariable"), [variables, emitValue(name, scope)]));
}

/** Returns the variables from the caller: queries of the API have them, mappings and templates do not. */
function givenVariables(scope: EmitScope) {
  if (scope.state.kind !== "query") return scope.state.kind === "template" ? literal(undefined) : code`{}`;
  scope.state.used.add("variables");
  return raw("variables");
}

/** Returns the name of a variable, which is claimed on first use. */
export function slotName(slot: Slot, scope: EmitScope): string {
  const { slots, names } = scope.state;
  const name = slots.get(slot) ?? names.claim(slot.name, "variable");
  slots.set(slot, name);
  return name;
}
