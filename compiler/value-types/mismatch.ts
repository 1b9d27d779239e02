// The result of `explainMismatch`: the places at which a value does not fit the wanted type, and the reasons.

import type { Span } from "../source/source.ts";
import type { Type } from "./type.ts";

/** One way in which a value does not fit. */
export interface Mismatch {
  /** The place in the value, from its root. */
  readonly path: readonly PathStep[];
  readonly problem: MismatchProblem;
  /** True if no value fits; false if only some do not. Arrays count as if they had elements. */
  readonly certain: boolean;
  /** The part of the type at the path that does not fit; absent if something is missing. */
  readonly found?: Type;
  /** The wanted type at the path; absent if nothing is wanted. */
  readonly wanted?: Type;
  /** For `extra`, the name that was probably meant; for `missing`, the name that was probably written instead. */
  readonly closest?: string;
  /** The place where a person declared the wanted type. */
  readonly wantedSpan?: Span;
}

/**
 * - `missing`: a required field is absent, or may be absent.
 * - `extra`: a field is present, or may be present, in an object that accepts only declared fields.
 * - `null`: the value is or may be null, and something else is wanted.
 * - `value`: the right kind, but not one of the allowed values (`"c"` or any text for `"a" | "b"`).
 * - `type`: another kind of value.
 */
export type MismatchProblem = "missing" | "extra" | "null" | "value" | "type";

/** The name of a field; `[]` for the elements of an array; `{}` for fields without a known name. */
export type PathStep = string;

/** Returns the path for messages: `items[].price`, `"odd name".total`; empty for the root. */
export function printPath(path: readonly PathStep[]): string {
  return path.map(printStep).join("").replace(/^\./, "");
}

function printStep(step: PathStep): string {
  if (step === "[]") return step;
  if (step === "{}") return ".*";
  return /^[\p{L}_$@][\p{L}\p{N}_$@-]*$/u.test(step) ? `.${step}` : `.${JSON.stringify(step)}`;
}
