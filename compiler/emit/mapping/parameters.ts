// Parameters of functions: a name and its type.

import { annotation, type Code, code, raw } from "../code.ts";
import type { FunctionState } from "./scope.ts";

/** `name: type` */
export function typed(name: string, type: Code): Code {
  return code`${raw(name)}${annotation(code`: ${type}`)}`;
}

/** The name of a parameter, led by `_` where the body has no use for it. */
export function unusedAs(name: string, state: FunctionState): string {
  return state.used.has(name) ? name : `_${name}`;
}
