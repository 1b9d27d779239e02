// Variables of compiled mappings: locals that are `undefined` while unset.

import { MappingError } from "../errors.ts";
import { deleted, nothing, type Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";

/** Variables by name, where the name is only known when a mapping runs. */
export type MappingVariables = Readonly<Record<string, Value | undefined>>;

/** `$name` where it may be unset. */
export function variable(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new MappingError(`variable '${name}' undefined`);
  return value;
}

/** What a variable holds after `let name = value`. */
export function assignVariable(current: Value | undefined, value: Value): Value | undefined {
  if (value === nothing) return current;
  return value === deleted ? undefined : value;
}

/** `var(name)`; without `variables`, where there can be none. */
export function findVariable(variables: MappingVariables | undefined, name: Value): Value {
  const called = textArgument("function 'var'", "name", name);
  if (variables === undefined) throw new MappingError("variables were undefined");
  return variable(Object.hasOwn(variables, called) ? variables[called] : undefined, called);
}
