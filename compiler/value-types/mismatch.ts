// What `explainMismatch` says: where a value does not fit what is wanted, and how.

import type { Span } from "../source/source.ts";
import type { Type } from "./type.ts";

/** One way in which a value does not fit. */
export interface Mismatch {
  /** Where in the value, from its root. */
  readonly path: readonly PathStep[];
  readonly problem: MismatchProblem;
  /** True: no value fits. False: some values do and some do not. Arrays count as though they had elements. */
  readonly certain: boolean;
  /** What stands at the path, only as much of it as does not fit; absent where something is missing. */
  readonly found?: Type;
  /** What is wanted at the path; absent where nothing is. */
  readonly wanted?: Type;
  /** For `extra` the name that was probably meant, for `missing` the name that was probably written instead. */
  readonly closest?: string;
  /** Where a person declared what is wanted. */
  readonly wantedSpan?: Span;
}

/**
 * - `missing`: a required field is not there, or may not be.
 * - `extra`: a field is there, or may be, in an object that takes no others than it declares.
 * - `null`: null, or what may be null, where something else is wanted.
 * - `value`: right kind, but not one of the values that are allowed (`"c"` or any text for `"a" | "b"`).
 * - `type`: another kind of value.
 */
export type MismatchProblem = "missing" | "extra" | "null" | "value" | "type";

/** The name of a field; `[]` for the elements of an array; `{}` for fields that are not known by name. */
export type PathStep = string;

/** The path for people: `items[].price`, `"odd name".total`; the empty text for the root. */
export function printPath(path: readonly PathStep[]): string {
  return path.map(printStep).join("").replace(/^\./, "");
}

function printStep(step: PathStep): string {
  if (step === "[]") return step;
  if (step === "{}") return ".*";
  return /^[\p{L}_$@][\p{L}\p{N}_$@-]*$/u.test(step) ? `.${step}` : `.${JSON.stringify(step)}`;
}
