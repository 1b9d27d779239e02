// What functions of jq are given, and the usual ways to make one.

import { type Closure, computed, type Emit, type Path } from "./filter.ts";
import type { Run } from "./run.ts";
import type { Json } from "./values.ts";

/** A call: the arguments are queries. */
export interface Call {
  readonly run: Run;
  readonly input: Json;
  readonly path: Path;
  readonly emit: Emit;
  readonly args: readonly Closure[];
}

/** Hands on what the function makes of its input. */
export type BuiltinCall = (call: Call) => void;

/** By `name/arguments`. */
export type Builtins = Readonly<Record<string, BuiltinCall>>;

/** A function of values: it is called for each combination of what its arguments give, the last one changing slowest. */
export function plain(work: (input: Json, args: readonly Json[], run: Run) => Json): BuiltinCall {
  return ({ run, input, path, emit, args }) =>
    eachCombination(args, input, (values) => emit(work(input, values, run), computed(path)));
}

/** Calls `visit` for each combination of what queries give, the last one changing slowest. */
export function eachCombination(
  args: readonly Closure[],
  input: Json,
  visit: (values: readonly Json[]) => void,
): void {
  function take(index: number, later: readonly Json[]): void {
    const arg = args[index];
    if (arg === undefined) visit(later);
    else arg(input, undefined, (value) => take(index - 1, [value, ...later]));
  }
  take(args.length - 1, []);
}

/** The same, the first one changing slowest, as arguments do that the manual writes with a `$`. */
export function eachInOrder(
  args: readonly Closure[],
  input: Json,
  visit: (values: readonly Json[]) => void,
): void {
  function take(index: number, before: readonly Json[]): void {
    const arg = args[index];
    if (arg === undefined) visit(before);
    else arg(input, undefined, (value) => take(index + 1, [...before, value]));
  }
  take(0, []);
}

/** All that a query gives. */
export function collected(query: Closure, input: Json, run: Run): Json[] {
  const values: Json[] = [];
  query(input, undefined, (value) => {
    run.step();
    values.push(value);
  });
  return values;
}
