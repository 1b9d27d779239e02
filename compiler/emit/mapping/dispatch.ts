// Emits an expression from inside another one through the function's state, so that the files of single constructs do
// not import each other in cycles.

import type { Planned } from "../../plan/mapping/ir.ts";
import type { Code } from "../code.ts";
import type { Emitted } from "./precedence.ts";
import type { EmitScope } from "./scope.ts";

/** Returns the expression for the value of a planned one. */
export function emitExpression(node: Planned, scope: EmitScope): Emitted {
  return scope.state.emit(node, scope);
}

/** Returns the expression as an argument or operand that accepts any expression. */
export function emitValue(node: Planned, scope: EmitScope): Code {
  return scope.state.emit(node, scope).code;
}
