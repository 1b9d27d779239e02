// Compiled queries: functions that emit each value they produce.

import type { Run } from "./run.ts";
import { described, failure, type JqValue } from "./values.ts";

/** The place of a value in the value where a path begins. */
export type JqPath =
  /** No caller needs the path. */
  | undefined
  /** The value was computed, and has no place. */
  | "nowhere"
  | JqPathStep;

/** A key below another place. The place where a path begins has no key. */
export interface JqPathStep {
  readonly before: JqPathStep | undefined;
  readonly key: JqValue;
}

/** The place where a path begins. */
export const pathStart: JqPathStep = { before: undefined, key: null };

/** Receives a value and its place. */
export type Emit = (value: JqValue, path: JqPath) => void;

/** Calls `emit` for each value that a query returns for `input`. */
export type Filter = (scope: JqScope, input: JqValue, path: JqPath, emit: Emit) => void;

/** A query bound to its scope. */
export type Closure = (input: JqValue, path: JqPath, emit: Emit) => void;

/** The held values of names, innermost first. A name is looked up by its distance. */
export interface JqScope {
  readonly run: Run;
  readonly outer: JqScope | undefined;
  readonly held: JqValue | Closure | undefined;
}

/** Returns the scope with one more held value. */
export function within(outer: JqScope, held: JqValue | Closure | undefined): JqScope {
  return { run: outer.run, outer, held };
}

/** Returns the place of `key` below `path`. Throws if the value has no place. */
export function below(path: JqPath, key: JqValue, value: JqValue, isIteration = false): JqPath {
  if (path === undefined) return undefined;
  if (path === "nowhere") throw lost(value, isIteration);
  return { before: path, key };
}

/** Returns the place of a computed value. */
export function computed(path: JqPath): JqPath {
  return path === undefined ? undefined : "nowhere";
}

/** Returns the keys that lead to a place. Throws if the value has no place. */
export function keysTo(path: JqPath, value: JqValue): readonly JqValue[] {
  if (path === undefined || path === "nowhere") throw lost(value, false);
  const keys: JqValue[] = [];
  for (let step: JqPathStep = path; step.before !== undefined; step = step.before) keys.push(step.key);
  return keys.reverse();
}

function lost(value: JqValue, isIteration: boolean): Error {
  return failure(`invalid path ${isIteration ? "on iterating " : ""}against: ${described(value)}`);
}

/** Thrown to leave the body of a label. */
export class Leave {
  readonly label: object;

  constructor(label: object) {
    this.label = label;
  }
}

/** Runs `body` with a function that leaves it. Values emitted before stay emitted. */
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
