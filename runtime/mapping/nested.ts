// `bloblang`: mappings compiled from text at run time, which requires a compiler.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";

/** A mapping of a value, without a message. */
export type NestedMapping = (target: Value) => Value;

/** Compiles a mapping. Throws a `MappingError` if its text is invalid. */
export type CompileNested = (source: string) => NestedMapping;

/** The mapping that a call compiled last. Most calls get the same text for every message. */
export interface KeptMapping {
  readonly compile: CompileNested;
  last: { readonly source: string; readonly run: NestedMapping } | undefined;
}

/**
 * Returns the state of a call before its first mapping. Gateways have no compiler; programs with one pass it as
 * `compile`.
 */
export function createNested(compile: CompileNested = refuse): KeptMapping {
  return { compile, last: undefined };
}

/** `.bloblang(mapping)`: applies the mapping in a text to the target. */
export function bloblang(kept: KeptMapping, target: Value, _from: string, mapping: Value): Value {
  const source = textArgument("method 'bloblang'", "mapping", mapping);
  if (kept.last?.source !== source) kept.last = { source, run: kept.compile(source) };
  return kept.last.run(target);
}

function refuse(): never {
  throw new MappingError("mappings made of text need a compiler, which gateways are without");
}
