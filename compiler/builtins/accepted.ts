// The types that builtins accept: for each declaration of the catalogue, the type of every value that the runtime
// does not refuse because of its type. For a call: the type of its result, and whether it can fail.

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

/** Any text, as a string or as bytes. Methods on text and parameters of type string accept both. */
export const anyText: Type = unionOf([string, bytes]);

/** The types by their names. */
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

/** Returns the type of the targets that a method accepts; `Unknown` if it accepts any, and for functions. */
export function acceptedTarget(builtin: Builtin): Type {
  return builtin.targets.length === 0 ? unknown : namedUnion(builtin.targets);
}

/** Returns the type of the targets that a conversion can convert; `undefined` for other builtins. */
export function convertedTarget({ converts }: Builtin): Type | undefined {
  return converts && namedUnion(converts);
}

function namedUnion(names: readonly ValueTypeName[]): Type {
  return unionOf(names.map((name) => namedTypes[name]));
}

/** Returns the type of the elements of an array that the method accepts; `undefined` if it accepts any. */
export function acceptedElement({ elements }: Builtin): Type | undefined {
  return elements && acceptedTypes[elements];
}

/**
 * Returns the type that argument `index` accepts, considering the conversions of runtime/mapping/arguments.ts: bytes
 * are text, fractions are truncated, a number is true unless it is zero, numbers and texts are timestamps. `Unknown`
 * for queries.
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

/** Returns the type of a call's result; `Never` if the call always fails. Evaluates the type of every query given. */
export function resultOfCall(builtin: Builtin, call: CallTypes): Type {
  const widest = namedTypes[builtin.returns];
  const result = builtin.result?.(call) ?? widest;
  return result.kind === "Unknown" ? widest : result;
}

/** Whether the call can fail on values of these types, not counting failures of its queries. */
export function canCallFail(builtin: Builtin, call: CallTypes): boolean {
  return builtin.fails === undefined ? builtin.canFail : builtin.fails(call);
}
