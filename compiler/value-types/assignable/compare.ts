// Helpers that the parts of a comparison share: the signature of comparers, and functions that transform mismatches.

import { alternativesOf } from "../alternatives.ts";
import type { Mismatch, PathStep } from "../mismatch.ts";
import type { Field, Type } from "../type.ts";

/** Compares found with wanted. Paths of the result start at these two. */
export type TypeComparer = (found: Type, wanted: Type) => readonly Mismatch[];

/** Returns the mismatches of a part as those of the whole that contains it under `step`, declared at `span`. */
export function under(
  step: PathStep,
  mismatches: readonly Mismatch[],
  span?: Field["span"],
): readonly Mismatch[] {
  return mismatches.map((mismatch) => ({
    ...mismatch,
    path: [step, ...mismatch.path],
    ...(mismatch.wantedSpan !== undefined || span === undefined ? {} : { wantedSpan: span }),
  }));
}

/** Returns the mismatches as uncertain, for values that may be absent or of another kind. */
export function possibly(mismatches: readonly Mismatch[]): readonly Mismatch[] {
  return mismatches.map((mismatch) => (mismatch.certain ? { ...mismatch, certain: false } : mismatch));
}

/** Whether no value fits. */
export function isHopeless(mismatches: readonly Mismatch[]): boolean {
  return mismatches.some(({ certain }) => certain);
}

/**
 * Returns the explanation if any of several options would fit: none if one fits, otherwise the shortest, which is
 * certain only if all of them are.
 */
export function nearest(explanations: readonly (readonly Mismatch[])[]): readonly Mismatch[] {
  const [first, ...others] = explanations;
  if (first === undefined) return [];
  const best = others.reduce((chosen, other) => (weight(other) < weight(chosen) ? other : chosen), first);
  return explanations.every(isHopeless) ? best : possibly(best);
}

/** Returns the weight of mismatches. A possible mismatch weighs less than a certain one. */
function weight(mismatches: readonly Mismatch[]): number {
  return mismatches.reduce((sum, { certain }) => sum + (certain ? 1000 : 1), 0);
}

/** Whether all values of a type are known individually, which makes a field with this type a discriminator. */
export function isLiteral(type: Type): boolean {
  const alternatives = alternativesOf(type);
  return alternatives.length > 0 && alternatives.every((one) => "value" in one && one.value !== undefined);
}
