// What functions of jq are given, and the usual ways to make one.

import { type Closure, computed, type Emit, type JqPath } from "./filter.ts";
import type { Run } from "./run.ts";
import { isList, type JqValue } from "./values.ts";

/** A call: the arguments are queries. */
export interface JqCall {
  readonly run: Run;
  readonly input: JqValue;
  readonly path: JqPath;
  readonly emit: Emit;
  readonly args: readonly Closure[];
}

/** Hands on what the function makes of its input. */
export type BuiltinCall = (call: JqCall) => void;

/** By `name/arguments`. */
export type Builtins = Readonly<Record<string, BuiltinCall>>;

/** A function of values: it is called for each combination of what its arguments give, the last one changing slowest. */
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

/** As `plain`, of functions that take as long for a large input as for a small one. */
export function immediate(work: (input: JqValue, args: readonly JqValue[]) => JqValue): BuiltinCall {
  return ({ input, path, emit, args }) =>
    eachCombination(args, input, (values) => emit(work(input, values), computed(path)));
}

/** What it takes to make the value, without what is in its elements: texts and lists may be of any length. */
function costOf(value: JqValue): number {
  if (typeof value === "string") return value.length >> 4;
  if (!isList(value)) return 0;
  return typeof value[0] === "number" ? value.length >> 1 : value.length;
}

/** Calls `visit` for each combination of what queries give, the last one changing slowest. */
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

/** The same, the first one changing slowest, as arguments do that the manual writes with a `$`. */
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

/** All that a query gives. */
export function collected(query: Closure, input: JqValue, run: Run): JqValue[] {
  const values: JqValue[] = [];
  query(input, undefined, (value) => {
    run.step();
    values.push(value);
  });
  return values;
}
