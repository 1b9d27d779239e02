// The functions and types of the runtime that emitted mappings use in addition to builtins, by symbol.

import { coreBuiltins } from "../../builtins/catalogue.ts";
import { type Code, linkTo, linkToType } from "../code.ts";

const homes = {
  add: "runtime/mapping/operators.ts",
  applyNamed: "runtime/mapping/maps.ts",
  assignKey: "runtime/mapping/root.ts",
  assignPath: "runtime/mapping/paths.ts",
  assignRoot: "runtime/mapping/root.ts",
  assignVariable: "runtime/mapping/variables.ts",
  attempt: "runtime/mapping/evaluate.ts",
  compactArray: "runtime/mapping/evaluate.ts",
  compactObject: "runtime/mapping/evaluate.ts",
  condition: "runtime/mapping/operators.ts",
  deleted: "runtime/message/value.ts",
  deletePath: "runtime/mapping/paths.ts",
  descend: "runtime/mapping/maps.ts",
  documentOf: "runtime/mapping/run.ts",
  divide: "runtime/mapping/operators.ts",
  bracketIndex: "runtime/mapping/brackets.ts",
  entryOf: "runtime/mapping/evaluate.ts",
  equal: "runtime/mapping/operators.ts",
  failedAssignment: "runtime/mapping/failures.ts",
  failedMapAssignment: "runtime/mapping/failures.ts",
  field: "runtime/mapping/paths.ts",
  fieldsOf: "runtime/mapping/root.ts",
  findVariable: "runtime/mapping/variables.ts",
  fromIndex: "runtime/mapping/evaluate.ts",
  greater: "runtime/mapping/operators.ts",
  greaterOrEqual: "runtime/mapping/operators.ts",
  keyOf: "runtime/mapping/evaluate.ts",
  less: "runtime/mapping/operators.ts",
  lessOrEqual: "runtime/mapping/operators.ts",
  MappingRun: "runtime/mapping/run.ts",
  metadataRefused: "runtime/mapping/maps.ts",
  modulo: "runtime/mapping/operators.ts",
  multiply: "runtime/mapping/operators.ts",
  negate: "runtime/mapping/operators.ts",
  not: "runtime/mapping/operators.ts",
  nothing: "runtime/message/value.ts",
  orEmpty: "runtime/mapping/root.ts",
  path: "runtime/mapping/paths.ts",
  present: "runtime/mapping/evaluate.ts",
  rescue: "runtime/mapping/evaluate.ts",
  setKey: "runtime/mapping/root.ts",
  setPath: "runtime/mapping/paths.ts",
  bracketSlice: "runtime/mapping/brackets.ts",
  strictCondition: "runtime/mapping/operators.ts",
  subtract: "runtime/mapping/operators.ts",
  textOf: "runtime/mapping/text.ts",
  truth: "runtime/mapping/operators.ts",
  unknownMap: "runtime/mapping/maps.ts",
  variable: "runtime/mapping/variables.ts",
  WholeFloat: "runtime/message/value.ts",
  within: "runtime/mapping/evaluate.ts",
  withField: "runtime/mapping/root.ts",
  withoutField: "runtime/mapping/root.ts",
  withoutMaps: "runtime/mapping/maps.ts",
  withoutRoot: "runtime/mapping/root.ts",
  withPath: "runtime/mapping/root.ts",
} as const;

const types = {
  Batch: "runtime/message/message.ts",
  Draft: "runtime/mapping/root.ts",
  MapFunction: "runtime/mapping/maps.ts",
  MappingRun: "runtime/mapping/run.ts",
  MappingVariables: "runtime/mapping/variables.ts",
  Message: "runtime/message/message.ts",
  Value: "runtime/message/value.ts",
} as const;

export type RuntimeSymbol = keyof typeof homes;

/** Returns a reference to a function or value of the runtime. */
export function runtime(symbol: RuntimeSymbol): Code {
  return linkTo(homes[symbol], symbol);
}

/** Returns a reference to a type of the runtime. */
export function runtimeType(symbol: keyof typeof types): Code {
  return linkToType(types[symbol], symbol);
}

/** The modules by symbol, for the test that verifies that each is a real export. */
export const runtimeHomes: Readonly<Record<string, string>> = homes;

/** The same of types. */
export const runtimeTypeHomes: Readonly<Record<string, string>> = types;

let builtinSymbols: ReadonlySet<string> | undefined;

/** Whether emitted mappings may import a name, so that no local variable may have it. */
export function isRuntimeSymbol(name: string): boolean {
  builtinSymbols ??= new Set(
    coreBuiltins.builtins.flatMap(({ symbol, state }) =>
      state === undefined ? [symbol] : [symbol, state.symbol],
    ),
  );
  return Object.hasOwn(homes, name) || Object.hasOwn(types, name) || builtinSymbols.has(name);
}
