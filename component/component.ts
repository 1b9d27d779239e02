// `sluice/component`: what packages of components import, to describe components and to run them. Inside a gateway the same
// name is `runtime/extension/component.ts` alone, so that there is one copy of the runtime.

import type { Builtin } from "../compiler/builtins/builtin.ts";
import type { Component } from "../schemas/component.ts";

export {
  type Builtin,
  defineFunction,
  defineMethod,
  listOf,
  optional,
  type Parameter,
  parameter,
  query,
  type WrittenBuiltin,
} from "../compiler/builtins/builtin.ts";
export * from "../runtime/extension/component.ts";
export {
  type Component,
  defineCache,
  defineInput,
  defineOutput,
  defineProcessor,
  defineRateLimit,
  type InputDescriptor,
  type KnownOptions,
  type OptionProblem,
  type OptionRule,
  type OutputDescriptor,
  oneOf,
  type ProcessorDescriptor,
  type ResourceDescriptor,
  type RuntimeLink,
} from "../schemas/component.ts";

/** What a package brings. */
export interface PackageComponents {
  readonly components?: readonly Component[];
  /** Functions and methods of mappings. */
  readonly builtins?: readonly Builtin[];
}

/** What the entry module of a package, `./sluice` of its `exports`, exports by default. */
export function defineComponents(contents: PackageComponents): PackageComponents & { readonly contract: 1 } {
  return { contract: 1, ...contents };
}
