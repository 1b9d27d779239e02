// What queries are compiled to: functions that hand on each value they make.

import type { Run } from "./run.ts";
import { described, failure, type Json } from "./values.ts";

/** Where a value stands in the one that a path begins at. */
export type Path =
  /** Nothing asks for it. */
  | undefined
  /** The value was computed, and stands nowhere. */
  | "nowhere"
  | PathStep;

/** A key below another place; the place where a path begins has none. */
export interface PathStep {
  readonly before: PathStep | undefined;
  readonly key: Json;
}

/** The place where a path begins. */
export const pathStart: PathStep = { before: undefined, key: null };

/** Takes a value and its place. */
export type Emit = (value: Json, path: Path) => void;

/** Hands what a query makes of `input` to `emit`, one value after the other. */
export type Filter = (scope: Scope, input: Json, path: Path, emit: Emit) => void;

/** A query with the names around it. */
export type Closure = (input: Json, path: Path, emit: Emit) => void;

/** Names with their values, inner ones first; what a name stands for is found by its distance. */
export interface Scope {
  readonly run: Run;
  readonly outer: Scope | undefined;
  readonly held: Json | Closure | undefined;
}

/** The names with one more. */
export function within(outer: Scope, held: Json | Closure | undefined): Scope {
  return { run: outer.run, outer, held };
}

/** The place below `path`. Throws where the value stands nowhere. */
export function below(path: Path, key: Json, value: Json, isIteration = false): Path {
  if (path === undefined) return undefined;
  if (path === "nowhere") throw lost(value, isIteration);
  return { before: path, key };
}

/** The place of a computed value. */
export function computed(path: Path): Path {
  return path === undefined ? undefined : "nowhere";
}

/** The keys that lead to a place. Throws where the value stands nowhere. */
export function keysTo(path: Path, value: Json): readonly Json[] {
  if (path === undefined || path === "nowhere") throw lost(value, false);
  const keys: Json[] = [];
  for (let step: PathStep = path; step.before !== undefined; step = step.before) keys.push(step.key);
  return keys.reverse();
}

function lost(value: Json, isIteration: boolean): Error {
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
