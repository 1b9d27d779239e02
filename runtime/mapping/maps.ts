// Named maps of compiled mappings.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";
import type { MappingRun } from "./run.ts";

/** A compiled map. */
export type MapFunction = (value: Value, run: MappingRun) => Value;

const maximumDepth = 5000;

/** `value.apply(name)` with a computed name. */
export function applyNamed(
  maps: ReadonlyMap<string, MapFunction>,
  name: Value,
  value: Value,
  run: MappingRun,
): Value {
  const called = textArgument("method 'apply'", "mapping", name);
  const map = maps.get(called);
  return map === undefined ? unknownMap(called) : map(value, run);
}

/** Throws the error for a map that does not exist. `_value` only makes the caller evaluate the value first. */
export function unknownMap(name: string, _value?: Value): never {
  throw new MappingError(`map ${name} was not found`);
}

/** Throws the error for applying a map if no maps are defined. */
export function withoutMaps(): never {
  throw new MappingError("no maps were found");
}

/** Throws the error for `meta` inside a named map. */
export function metadataRefused(): never {
  throw new MappingError("unable to assign metadata in the current context");
}

/** Runs the body of a recursive map, down to the depth that the language allows. */
export function descend(run: MappingRun, name: string, body: () => Value): Value {
  run.depth++;
  try {
    if (run.depth > maximumDepth) throw tooDeep(name);
    return body();
  } catch (error) {
    // The stack of the process may overflow earlier. For the author it is the same mistake.
    throw error instanceof RangeError ? tooDeep(name) : error;
  } finally {
    run.depth--;
  }
}

function tooDeep(name: string): MappingError {
  return new MappingError(
    `entering map ${name} exceeded maximum allowed stacks of ${maximumDepth}, ` +
      "this could be due to unbounded recursion",
  );
}
