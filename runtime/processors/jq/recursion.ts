// Recursion with an explicit stack: documents and results may be nested deeper than the call stack allows.

import { below, type Emit, type JqPath } from "./filter.ts";
import type { Run } from "./run.ts";
import { fieldOf, isList, isRecord, type JqValue, keysOf } from "./values.ts";

/** A value and its place. */
interface Placed {
  readonly value: JqValue;
  readonly path: JqPath;
}

/** `..`: emits the value and all values in it. */
export function recursed(value: JqValue, path: JqPath, emit: Emit, run: Run): void {
  descended({ value, path }, emit, run, ({ value: whole, path: place }, visit) => {
    if (isList(whole))
      for (const [index, each] of whole.entries()) visit(each, below(place, index, whole, true));
    if (isRecord(whole))
      for (const key of keysOf(whole)) visit(fieldOf(whole, key), below(place, key, whole, true));
  });
}

/** `def r: ., (next | r); r`: emits each value before the results of `next` for it. */
export function descended(
  root: Placed,
  emit: Emit,
  run: Run,
  next: (from: Placed, visit: Emit) => void,
): void {
  const pending: (Placed | { readonly error: unknown })[] = [root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    // A failure of `next` comes after the values that it returned before.
    if ("error" in at) throw at.error;
    run.step();
    emit(at.value, at.path);
    const made: (Placed | { readonly error: unknown })[] = [];
    try {
      next(at, (value, path) => {
        run.step();
        made.push({ value, path });
      });
    } catch (error) {
      made.push({ error });
    }
    pending.push(...made.reverse());
  }
}
