// What the parts of a comparison share: how they call each other, and how they move mismatches about.

import { alternativesOf } from "../alternatives.ts";
import type { Mismatch, PathStep } from "../mismatch.ts";
import type { Field, Type } from "../type.ts";

/** Compares found with wanted; paths of the result begin at these two. */
export type TypeComparer = (found: Type, wanted: Type) => readonly Mismatch[];

/** Mismatches of a part, seen from the whole that has it under `step`, declared at `span`. */
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

/** The same, of values that need not be there, or need not be of this kind. */
export function possibly(mismatches: readonly Mismatch[]): readonly Mismatch[] {
  return mismatches.map((mismatch) => (mismatch.certain ? { ...mismatch, certain: false } : mismatch));
}

/** Whether no value fits. */
export function isHopeless(mismatches: readonly Mismatch[]): boolean {
  return mismatches.some(({ certain }) => certain);
}

/**
 * The explanation to give where any of several would do: none if one fits, else the shortest, which is certain
 * only if all of them are.
 */
export function nearest(explanations: readonly (readonly Mismatch[])[]): readonly Mismatch[] {
  const [first, ...others] = explanations;
  if (first === undefined) return [];
  const best = others.reduce((chosen, other) => (weight(other) < weight(chosen) ? other : chosen), first);
  return explanations.every(isHopeless) ? best : possibly(best);
}

/** A mismatch that is only possible weighs less than any that is certain. */
function weight(mismatches: readonly Mismatch[]): number {
  return mismatches.reduce((sum, { certain }) => sum + (certain ? 1000 : 1), 0);
}

/** Whether all values of a type are known one by one, which makes a field of it a discriminator. */
export function isLiteral(type: Type): boolean {
  const alternatives = alternativesOf(type);
  return alternatives.length > 0 && alternatives.every((one) => "value" in one && one.value !== undefined);
}
