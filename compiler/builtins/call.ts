// What is known of one call before it runs: from a builtin and the types of its arguments, the type of the result and
// whether the call can fail.

import type { Type } from "../value-types/type.ts";
import { namedTypes } from "./accepted.ts";
import type { Builtin } from "./builtin.ts";
import type { CallTypes } from "./signature.ts";

/** The type of the result; `Never` for a call that always fails. Asks for every query that is given. */
export function resultOfCall(builtin: Builtin, call: CallTypes): Type {
  const widest = namedTypes[builtin.returns];
  const result = builtin.result?.(call) ?? widest;
  return result.kind === "Unknown" ? widest : result;
}

/** Whether the call can fail on values of these types; failures of its queries do not count. */
export function canCallFail(builtin: Builtin, call: CallTypes): boolean {
  return builtin.fails === undefined ? builtin.canFail : builtin.fails(call);
}
