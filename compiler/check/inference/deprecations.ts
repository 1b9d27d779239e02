// Calls of builtins that others have taken the place of in; what to write in their place out.

import type { Builtin } from "../../builtins/builtin.ts";
import type { FunctionCall, MethodCall } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import type { Type } from "../../value-types/type.ts";
import type { Scope } from "./scope.ts";

/**
 * Tells that a builtin is deprecated. `replaced` is what its successor would give here, where that is another thing
 * than the call itself gives.
 */
export function tellDeprecated(
  node: FunctionCall | MethodCall,
  { deprecated, name, successor }: Builtin,
  scope: Scope,
  replaced?: Type,
): void {
  if (!deprecated) return;
  const isSame =
    successor?.same === "always" || (successor?.same === "text" && isSurelyText(replaced, scope));
  scope.inference.report("GW3130", node.name.span, { name, successor: successor?.name, isSame });
}

/** What is inferred for several types may be text for one of them and something else for another. */
function isSurelyText(type: Type | undefined, { isRepeated }: Scope): boolean {
  if (type === undefined || isRepeated) return false;
  return alternativesOf(type).every(({ kind }) => kind === "String" || kind === "Null");
}
