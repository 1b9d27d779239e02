// The interface of jq functions, and common ways to define one.

import { type Closure, computed, type Emit, type JqPath } from "./filter.ts";
import type { Run } from "./run.ts";
import { isList, type JqValue } from "./values.ts";

/** A call. The arguments are queries. */
export interface JqCall {
  readonly run: Run;
  readonly input: JqValue;
  readonly path: JqPath;
  readonly emit: Emit;
  readonly args: readonly Closure[];
}

/** Emits the results of the function for its input. */
export type BuiltinCall = (call: JqCall) => void;

/** Functions by `name/arguments`. */
export type Builtins = Readonly<Record<string, BuiltinCall>>;

/**
 * Defines a function of values. It is called for each combination of its arguments' values; the last argument varies
 * slowest.
 */
export function plain(work: (input: JqValue, args: readonly JqValue[], run: Run) => JqValue): BuiltinCall {
  return ({ run, input, path, emit, args }) =>
    eachCombination(args, input, (values) => {
      run.step(costOf(input));
      for (const value of values) run.step(costOf(value));
      const result = work(input, values, run);
      if (result !== input) run.step(costOf(result));
      emit(result, computed(path));
    });
}

/** Like `plain`, for functions that take constant time. */
export function immediate(work: (input: JqValue, args: readonly JqValue[]) => JqValue): BuiltinCall {
  return ({ input, path, emit, args }) =>
    eachCombination(args, input, (values) => emit(work(input, values), computed(path)));
}

/** Returns the cost of making the value, without the content of its elements. Texts and lists may have any length. */
function costOf(value: JqValue): number {
  if (typeof value === "string") return value.length >> 4;
  if (!isList(value)) return 0;
  return typeof value[0] === "number" ? value.length >> 1 : value.length;
}

/** Calls `visit` for each combination of the queries' values. The last query varies slowest. */
export function eachCombination(
  args: readonly Closure[],
  input: JqValue,
  visit: (values: readonly JqValue[]) => void,
): void {
  function take(index: number, later: readonly JqValue[]): void {
    const arg = args[index];
    if (arg === undefined) visit(later);
    else arg(input, undefined, (value) => take(index - 1, [value, ...later]));
  }
  take(args.length - 1, []);
}

/** Like `eachCombination`, but the first query varies slowest, as for arguments with a `$` in the jq manual. */
export function eachInOrder(
  args: readonly Closure[],
  input: JqValue,
  visit: (values: readonly JqValue[]) => void,
): void {
  function take(index: number, before: readonly JqValue[]): void {
    const arg = args[index];
    if (arg === undefined) visit(before);
    else arg(input, undefined, (value) => take(index + 1, [...before, value]));
  }
  take(0, []);
}

/** Returns all values of a query. */
export function collected(query: Closure, input: JqValue, run: Run): JqValue[] {
  const values: JqValue[] = [];
  query(input, undefined, (value) => {
    run.step();
    values.push(value);
  });
  return values;
}
