// What queries are compiled to: functions that hand on each value they make.

import type { Run } from "./run.ts";
import { described, failure, type JqValue } from "./values.ts";

/** Where a value stands in the one that a path begins at. */
export type JqPath =
  /** Nothing asks for it. */
  | undefined
  /** The value was computed, and stands nowhere. */
  | "nowhere"
  | JqPathStep;

/** A key below another place; the place where a path begins has none. */
export interface JqPathStep {
  readonly before: JqPathStep | undefined;
  readonly key: JqValue;
}

/** The place where a path begins. */
export const pathStart: JqPathStep = { before: undefined, key: null };

/** Takes a value and its place. */
export type Emit = (value: JqValue, path: JqPath) => void;

/** Hands what a query makes of `input` to `emit`, one value after the other. */
export type Filter = (scope: JqScope, input: JqValue, path: JqPath, emit: Emit) => void;

/** A query with the names around it. */
export type Closure = (input: JqValue, path: JqPath, emit: Emit) => void;

/** Names with their values, inner ones first; what a name stands for is found by its distance. */
export interface JqScope {
  readonly run: Run;
  readonly outer: JqScope | undefined;
  readonly held: JqValue | Closure | undefined;
}

/** The names with one more. */
export function within(outer: JqScope, held: JqValue | Closure | undefined): JqScope {
  return { run: outer.run, outer, held };
}

/** The place below `path`. Throws where the value stands nowhere. */
export function below(path: JqPath, key: JqValue, value: JqValue, isIteration = false): JqPath {
  if (path === undefined) return undefined;
  if (path === "nowhere") throw lost(value, isIteration);
  return { before: path, key };
}

/** The place of a computed value. */
export function computed(path: JqPath): JqPath {
  return path === undefined ? undefined : "nowhere";
}

/** The keys that lead to a place. Throws where the value stands nowhere. */
export function keysTo(path: JqPath, value: JqValue): readonly JqValue[] {
  if (path === undefined || path === "nowhere") throw lost(value, false);
  const keys: JqValue[] = [];
  for (let step: JqPathStep = path; step.before !== undefined; step = step.before) keys.push(step.key);
  return keys.reverse();
}

function lost(value: JqValue, isIteration: boolean): Error {
  return failure(`invalid path ${isIteration ? "on iterating " : ""}against: ${described(value)}`);
}

/** Leaves what a label encloses. */
export class Leave {
  readonly label: object;

  constructor(label: object) {
    this.label = label;
  }
}

/** Runs `body` with what leaves it; values that were handed on before stay. */
export function leaving(body: (leave: () => never) => void): void {
  const label = {};
  try {
    body(() => {
      throw new Leave(label);
    });
  } catch (error) {
    if (!(error instanceof Leave) || error.label !== label) throw error;
  }
}
