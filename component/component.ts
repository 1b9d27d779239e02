// `sluice/component`: the exports with which packages describe and run their components. Inside a gateway, the same
// name refers only to `runtime/extension/component.ts`, so that the runtime exists once.

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

/** The contents of a package. */
export interface PackageComponents {
  readonly components?: readonly Component[];
  /** Functions and methods of mappings. */
  readonly builtins?: readonly Builtin[];
}

/** Returns the value that the entry module of a package, `./sluice` in its `exports`, exports by default. */
export function defineComponents(contents: PackageComponents): PackageComponents & { readonly contract: 1 } {
  return { contract: 1, ...contents };
}
