// The mismatches of each value something may be in, those of the whole out.

import type { Mismatch } from "../mismatch.ts";
import type { Type } from "../type.ts";
import { unionOf } from "../union.ts";
import { isHopeless, possibly } from "./compare.ts";

/** Further ones are not reported: they do not help, and shared parts can have very many places. */
const maximumMismatches = 100;

/**
 * What to say of a value that is one of several: mismatches of one place and problem become one. Nothing is
 * certain unless every one of them is hopeless. `wanted` is what was wanted of the whole.
 */
export function mergeAlternatives(
  verdicts: readonly (readonly Mismatch[])[],
  wanted: Type,
): readonly Mismatch[] {
  const isCertain = verdicts.every(isHopeless);
  const all = verdicts
    .flat()
    .map((mismatch) => (mismatch.path.length > 0 ? mismatch : { ...mismatch, wanted }));
  const merged = mergeSame(isCertain ? withNullsAmongTypes(all) : all);
  const told = merged.length > maximumMismatches ? mostCertain(merged) : merged;
  return isCertain ? told : possibly(told);
}

/** Where nothing fits at all, null is not a problem of its own. */
function withNullsAmongTypes(mismatches: readonly Mismatch[]): readonly Mismatch[] {
  const isTypeWrong = mismatches.some(({ path, problem }) => path.length === 0 && problem === "type");
  if (!isTypeWrong) return mismatches;
  return mismatches.map((mismatch) =>
    mismatch.path.length === 0 && mismatch.problem === "null" ? { ...mismatch, problem: "type" } : mismatch,
  );
}

/** As many as are reported, certain ones first: one of those decides about the whole. */
function mostCertain(mismatches: readonly Mismatch[]): readonly Mismatch[] {
  const ordered = mismatches.toSorted((a, b) => Number(b.certain) - Number(a.certain));
  return ordered.slice(0, maximumMismatches);
}

function mergeSame(mismatches: readonly Mismatch[]): readonly Mismatch[] {
  const byPlace = new Map<string, Mismatch>();
  for (const mismatch of mismatches) {
    const key = JSON.stringify([mismatch.problem, ...mismatch.path]);
    const known = byPlace.get(key);
    byPlace.set(key, known === undefined ? mismatch : join(known, mismatch));
  }
  return [...byPlace.values()];
}

function join(a: Mismatch, b: Mismatch): Mismatch {
  return {
    ...a,
    certain: a.certain || b.certain,
    ...(a.found === undefined || b.found === undefined ? {} : { found: unionOf([a.found, b.found]) }),
    ...(a.wanted === undefined || b.wanted === undefined ? {} : { wanted: unionOf([a.wanted, b.wanted]) }),
  };
}
