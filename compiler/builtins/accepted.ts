// What builtins take, as types: for what the catalogue declares, the type of every value that
// the runtime does not refuse for its type alone. Of one call: the type of its result, and whether it can fail.

import {
  anyObject,
  arrayOf,
  bool,
  bytes,
  float,
  integer,
  never,
  nullType,
  string,
  type Type,
  timestamp,
  unknown,
} from "../value-types/type.ts";
import { unionOf } from "../value-types/union.ts";
import type { Builtin, CallTypes, Parameter, ParameterTypeName, ValueTypeName } from "./builtin.ts";
/** Any number. */
export const anyNumber: Type = unionOf([integer, float]);

/** Text, as itself or as bytes: methods on text take both, and so do all parameters of type string. */
export const anyText: Type = unionOf([string, bytes]);

/** The type a name stands for. */
export const namedTypes: { readonly [N in ValueTypeName]: Type } = {
  any: unknown,
  never,
  string,
  bytes,
  number: anyNumber,
  integer,
  bool,
  timestamp,
  array: arrayOf(unknown),
  object: anyObject,
  null: nullType,
};

/** The targets a method works on; `Unknown` where it works on all, and for functions. */
export function acceptedTarget(builtin: Builtin): Type {
  if (builtin.targets.length === 0) return unknown;
  return unionOf(builtin.targets.map((name) => namedTypes[name]));
}

/** What each element of an array may be that the method works on; `undefined` where it may be anything. */
export function acceptedElement({ elements }: Builtin): Type | undefined {
  return elements && acceptedTypes[elements];
}

/**
 * What may stand as argument `index`, after the conversions of runtime/mapping/arguments.ts: bytes are text, a
 * fraction is cut off, a number is true unless zero, numbers and texts are timestamps. `Unknown` for queries.
 */
export function acceptedArgument(builtin: Builtin, index: number): Type {
  if (builtin.variadic) return acceptedTypes[builtin.variadicType];
  const parameter = builtin.parameters[index];
  return parameter === undefined ? never : acceptedBy(parameter);
}

function acceptedBy({ type, items }: Parameter): Type {
  return items === undefined ? acceptedTypes[type] : arrayOf(acceptedTypes[items]);
}

const acceptedTypes: { readonly [N in ParameterTypeName]: Type } = {
  string: anyText,
  integer: anyNumber,
  float: anyNumber,
  bool: unionOf([bool, anyNumber]),
  timestamp: unionOf([timestamp, anyNumber, anyText]),
  array: arrayOf(unknown),
  object: anyObject,
  query: unknown,
  any: unknown,
};

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
