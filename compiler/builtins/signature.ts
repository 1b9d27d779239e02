// How the result of a call follows from what it is given, where that is more than one fixed type.

import type { Type } from "../value-types/type.ts";

/** A call as inference sees it. Targets and arguments are already narrowed to what the builtin accepts. */
export interface CallTypes {
  /** `Unknown` for functions. */
  readonly target: Type;
  /**
   * One for each parameter, for a variadic builtin one for each argument; `undefined` where left out. For a
   * query that is given it is any type: ask `queryResult`.
   */
  readonly args: readonly (Type | undefined)[];
  /**
   * The type of the query at `index` with `element` as its `this` (for `query: "error"` and `"same"` it is the
   * text of the error, or the target's own `this`, and `element` is not looked at).
   */
  readonly queryResult: (index: number, element: Type) => Type;
}

/**
 * The type of a call's result; never looks at anything but what it is given. `Never` for a call that always
 * fails. A rule of a builtin with queries asks for the result of each one that is given, with all that can be
 * its `this`, so that the rule sees every query.
 */
export type ResultRule = (call: CallTypes) => Type;

/** Whether a call can fail, its queries apart; when in doubt it can. */
export type FailureRule = (call: CallTypes) => boolean;
