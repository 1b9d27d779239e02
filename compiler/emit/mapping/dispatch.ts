// Emits an expression from inside another: through the function's state, so that the files of single
// constructs do not import each other in circles.

import type { Planned } from "../../plan/mapping/ir.ts";
import type { Code } from "../code.ts";
import type { Emitted } from "./precedence.ts";
import type { EmitScope } from "./scope.ts";

/** The expression that gives the value of a planned one. */
export function emitExpression(node: Planned, scope: EmitScope): Emitted {
  return scope.state.emit(node, scope);
}

/** The expression as an argument or operand that takes anything. */
export function emitValue(node: Planned, scope: EmitScope): Code {
  return scope.state.emit(node, scope).code;
}
