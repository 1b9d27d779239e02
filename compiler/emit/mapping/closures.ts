// Emits function expressions for query arguments and guarded operands.

import type { Local, Planned } from "../../plan/mapping/ir.ts";
import { annotation, block, type Code, code, join, list, raw } from "../code.ts";
import { emitExpression } from "./dispatch.ts";
import { runtimeType } from "./runtime.ts";
import { type EmitScope, nestedScope, withLocal } from "./scope.ts";

/** `() => value` */
export function emitThunk(body: Planned, scope: EmitScope): Code {
  const inner = nestedScope(scope);
  return functionOf([], emitExpression(body, inner).code, inner);
}

/** `(element: Value) => value`; an unused parameter is left out. */
export function emitClosure(local: Local, body: Planned, scope: EmitScope): Code {
  const fresh = nestedScope(scope);
  const name = fresh.names.claim(local.hint, "element");
  const inner = withLocal(fresh, local, raw(name));
  scope.state.used.delete(name);
  const value = emitExpression(body, inner).code;
  const parameter = code`${raw(name)}${annotation(code`: ${runtimeType("Value")}`)}`;
  return functionOf(scope.state.used.has(name) ? [parameter] : [], value, inner);
}

/** Returns a function with these parameters and this value, and the constants that its expressions need before. */
export function functionOf(parameters: readonly Code[], value: Code, scope: EmitScope): Code {
  const head = list("(", parameters, ")");
  if (scope.prelude.length > 0) return code`${head} => ${block([...scope.prelude, code`return ${value};`])}`;
  return join([head, raw(" => "), notBlock(value)]);
}

/** Wraps `value` in brackets if an opening brace would begin a block: after an arrow, and as a statement. */
export function notBlock(value: Code): Code {
  return startsWithBrace(value) ? code`(${value})` : value;
}

function startsWithBrace(value: Code): boolean {
  const [first] = value.parts;
  if (typeof first === "string") return first.startsWith("{");
  return first !== undefined && first.kind === "group" && startsWithBrace({ parts: first.parts });
}
