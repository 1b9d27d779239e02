// Expressions that can fail when they run.

import type { Span } from "../../source/source.ts";

/** An expression that can fail, and on what. */
export interface Failure {
  readonly span: Span;
  /** One clause: `null is not a number`. */
  readonly reason: string;
  readonly source: FailureOrigin;
}

/**
 * `type`: a value of a type that does not go there. `builtin`: a function or method on values of the right type.
 * `document`: the message is not JSON. `variable`: it may be unset. `path`: an assignment into what holds no fields.
 * `division`: by zero. `bounds`: an index. `throw`: `throw()`. `map`: a map that is not there, or that does not end.
 * `root`: read where no message is built.
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

/** Failures found so far, those of applied maps shared with them. */
export interface FailureList {
  readonly own: Map<Span, Failure>;
  readonly shared: Set<FailureList>;
}

/** An empty list. */
export function createFailures(): FailureList {
  return { own: new Map(), shared: new Set() };
}

/** Whether anything can fail. */
export function canFail({ own, shared }: FailureList): boolean {
  return own.size > 0 || shared.size > 0;
}

/** All failures, each place once. */
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
