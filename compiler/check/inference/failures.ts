// Expressions that can fail at run time.

import type { Span } from "../../source/source.ts";

/** An expression that can fail, with the reason. */
export interface Failure {
  readonly span: Span;
  /** One clause: `null is not a number`. */
  readonly reason: string;
  readonly source: FailureOrigin;
}

/**
 * `type`: a value of a type that is not accepted. `builtin`: a function or method that fails on values of the right
 * type. `document`: the message is not JSON. `variable`: it may be unset. `path`: an assignment into a value without
 * fields. `division`: by zero. `bounds`: an index. `throw`: `throw()`. `map`: a map that does not exist, or does not
 * end. `root`: read where no message is built.
 */
export type FailureOrigin =
  | "type"
  | "builtin"
  | "document"
  | "variable"
  | "path"
  | "division"
  | "bounds"
  | "throw"
  | "map"
  | "root";

/** The failures found so far. Failures of applied maps are shared with them. */
export interface FailureList {
  readonly own: Map<Span, Failure>;
  readonly shared: Set<FailureList>;
}

/** Returns an empty list. */
export function createFailures(): FailureList {
  return { own: new Map(), shared: new Set() };
}

/** Whether anything can fail. */
export function canFail({ own, shared }: FailureList): boolean {
  return own.size > 0 || shared.size > 0;
}

/** Returns all failures, one for each source range. */
export function listFailures(list: FailureList): readonly Failure[] {
  const found = new Map<Span, Failure>();
  const met = new Set<FailureList>();
  const collect = (from: FailureList): void => {
    if (met.has(from)) return;
    met.add(from);
    for (const [span, failure] of from.own) found.set(span, failure);
    for (const each of from.shared) collect(each);
  };
  collect(list);
  return [...found.values()];
}
