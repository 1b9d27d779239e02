// `bloblang`: mappings that are made of text while others run, which takes a compiler.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";

/** A mapping of a value alone, without a message. */
export type NestedMapping = (target: Value) => Value;

/** Makes a mapping of its text; throws `MappingError` where there is a mistake in it. */
export type CompileNested = (source: string) => NestedMapping;

/** The mapping a call has last made: most calls are given the same text for every message. */
export interface KeptMapping {
  readonly compile: CompileNested;
  last: { readonly source: string; readonly run: NestedMapping } | undefined;
}

/** No mapping made yet. Gateways have no compiler; programs with one pass it as `compile`. */
export function createNested(compile: CompileNested = refuse): KeptMapping {
  return { compile, last: undefined };
}

/** `.bloblang(mapping)`: the target through a mapping that is a text. */
export function bloblang(kept: KeptMapping, target: Value, _from: string, mapping: Value): Value {
  const source = textArgument("method 'bloblang'", "mapping", mapping);
  if (kept.last?.source !== source) kept.last = { source, run: kept.compile(source) };
  return kept.last.run(target);
}

function refuse(): never {
  throw new MappingError("mappings made of text need a compiler, which gateways are without");
}
