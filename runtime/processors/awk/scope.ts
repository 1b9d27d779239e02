// What expressions and statements can use: where variables, arrays and functions are.

import type { ResolvedProgram } from "./resolve.ts";
import type { ProgramState } from "./state.ts";
import type { NamedExpression } from "./syntax.ts";
import type { AwkArray, AwkValue } from "./values.ts";

/** A compiled expression. */
export type Evaluate = (state: ProgramState) => AwkValue;
/** Assigns a value. */
export type StoreValue = (state: ProgramState, value: AwkValue) => void;
/** Finds an array. */
export type FindArray = (state: ProgramState) => AwkArray;

/** A function that programs call. */
export type CallFunction = (state: ProgramState, args: readonly AwkValue[]) => AwkValue;

/** A compiled function of a program. Its body is compiled later, because it may call others. */
export interface CompiledFunction {
  readonly name: string;
  /** The kinds of the parameters. */
  readonly arrays: readonly boolean[];
  run: (state: ProgramState) => AwkValue;
}

/** What an expression can use. */
export interface ProgramScope {
  readonly program: ResolvedProgram;
  /** The function around the expression; empty outside of all. */
  readonly within: string;
  readonly functions: ReadonlyMap<string, CompiledFunction>;
  readonly library: (name: string) => CallFunction | undefined;
}

/** Returns where a variable or an array is. */
export function placeOf({ program, within }: ProgramScope, name: string, isArray: boolean) {
  const parameters = program.functions.get(within)?.parameters ?? [];
  if (parameters.includes(name)) {
    const same = parameters.filter((parameter) => program.isArray(within, parameter) === isArray);
    return { isLocal: true, index: same.indexOf(name) };
  }
  return { isLocal: false, index: (isArray ? program.arrays : program.scalars).indexOf(name) };
}

/** Returns a function that finds an array. */
export function findArray(scope: ProgramScope, { name }: NamedExpression): FindArray {
  const { isLocal, index } = placeOf(scope, name, true);
  const found = (array: AwkArray | undefined): AwkArray => {
    if (array === undefined) throw new Error(`the array ${name} does not exist`);
    return array;
  };
  if (isLocal) return (state) => found(state.localArrays[index]);
  return (state) => found(state.arrays[index]);
}
