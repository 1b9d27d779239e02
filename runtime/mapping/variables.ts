// Variables of compiled mappings: local variables that are `undefined` while unset.

import { MappingError } from "../errors.ts";
import { deleted, nothing, type Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";

/** Variables by name, for names that are only known at run time. */
export type MappingVariables = Readonly<Record<string, Value | undefined>>;

/** `$name` for a variable that may be unset. Throws a `MappingError` if it is. */
export function variable(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new MappingError(`variable '${name}' undefined`);
  return value;
}

/** Returns the content of a variable after `let name = value`. */
export function assignVariable(current: Value | undefined, value: Value): Value | undefined {
  if (value === nothing) return current;
  return value === deleted ? undefined : value;
}

/** `var(name)`. `variables`: `undefined` in a context without variables. */
export function findVariable(variables: MappingVariables | undefined, name: Value): Value {
  const called = textArgument("function 'var'", "name", name);
  if (variables === undefined) throw new MappingError("variables were undefined");
  return variable(Object.hasOwn(variables, called) ? variables[called] : undefined, called);
}
