// Compares the type that was found with the wanted type, and returns the differences. No differences if either is
// unknown.

import { type Alternative, alternativesOf } from "./alternatives.ts";
import { isHopeless, nearest, possibly, type TypeComparer, under } from "./assignable/compare.ts";
import { compareWithObjects, splitByDiscriminator } from "./assignable/variants.ts";
import type { Mismatch } from "./mismatch.ts";
import type { ArrayType, Type } from "./type.ts";
import { unionOf } from "./union.ts";

/** The maximum number of reported mismatches: more do not help, and shared parts can appear at very many places. */
const maximumMismatches = 100;

/**
 * Merges the mismatches of a value with several alternatives: mismatches with the same place and problem become one.
 * They are certain only if every alternative is hopeless. `wanted`: the type that was wanted for the whole value.
 */
function mergeAlternatives(verdicts: readonly (readonly Mismatch[])[], wanted: Type): readonly Mismatch[] {
  const isCertain = verdicts.every(isHopeless);
  const all = verdicts
    .flat()
    .map((mismatch) => (mismatch.path.length > 0 ? mismatch : { ...mismatch, wanted }));
  const merged = mergeSame(isCertain ? withNullsAmongTypes(all) : all);
  const kept = merged.length > maximumMismatches ? mostCertain(merged) : merged;
  return isCertain ? kept : possibly(kept);
}

/** If nothing fits at all, null is part of the type problem and no separate one. */
function withNullsAmongTypes(mismatches: readonly Mismatch[]): readonly Mismatch[] {
  const isTypeWrong = mismatches.some(({ path, problem }) => path.length === 0 && problem === "type");
  if (!isTypeWrong) return mismatches;
  return mismatches.map((mismatch) =>
    mismatch.path.length === 0 && mismatch.problem === "null" ? { ...mismatch, problem: "type" } : mismatch,
  );
}

/** Returns as many mismatches as are reported, certain ones first, because a certain one decides about the whole. */
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

/**
 * Returns why values of type `found` do not fit `wanted`; empty if all fit. A value is compared as it appears in a
 * message: bytes and timestamps are texts, a number that is not known to be whole may be whole, and deleted or omitted
 * values are ignored. Each place and problem is listed once. `wantedSpan` is the span of the declared field around the
 * mismatch, absent for the root.
 */
export function explainMismatch(found: Type, wanted: Type): readonly Mismatch[] {
  const compared = new Map<unknown, Map<unknown, readonly Mismatch[]>>();
  return compare(found, wanted);

  function compare(one: Type, other: Type): readonly Mismatch[] {
    if (one === other) return [];
    const row = compared.get(identityOf(one)) ?? new Map<unknown, readonly Mismatch[]>();
    compared.set(identityOf(one), row);
    const known = row.get(identityOf(other));
    if (known !== undefined) return known;
    // Until proven otherwise, a type that occurs again inside itself fits.
    row.set(identityOf(other), []);
    const result = compareTypes(one, other, compare);
    row.set(identityOf(other), result);
    return result;
  }
}

function identityOf(type: Type): unknown {
  return type.kind === "Recursive" ? type.unfold : type;
}

function compareTypes(found: Type, wanted: Type, compare: TypeComparer): readonly Mismatch[] {
  const options = alternativesOf(wanted);
  if (options.some(({ kind }) => kind === "Unknown")) return [];
  const alternatives = alternativesOf(found).filter(
    ({ kind }) => kind !== "Unknown" && kind !== "Deleted" && kind !== "Nothing",
  );
  const verdicts = alternatives
    .flatMap((alternative) => splitByDiscriminator(alternative, options))
    .map((alternative) => compareAlternative(alternative, options, compare));
  return mergeAlternatives(verdicts, wanted);
}

/** Compares one alternative with all options. */
function compareAlternative(
  found: Alternative,
  options: readonly Alternative[],
  compare: TypeComparer,
): readonly Mismatch[] {
  switch (found.kind) {
    case "Object":
      return compareWithObjects(found, options, compare);
    case "Array":
      return compareArrays(found, options, compare);
    default:
      return compareScalar(found, options);
  }
}

/** Returns why no option accepts `found`; empty if one does. */
function compareArrays(
  found: ArrayType,
  options: readonly Alternative[],
  compare: TypeComparer,
): readonly Mismatch[] {
  const arrays = options.filter((option) => option.kind === "Array");
  if (arrays.length === 0) return [{ path: [], problem: "type", certain: true, found }];
  return nearest(arrays.map((option) => under("[]", compareElements(found, option, compare))));
}

/** Compares elements of all places; if that finds nothing, the elements at the start, which may be missing. */
function compareElements(found: ArrayType, wanted: ArrayType, compare: TypeComparer): readonly Mismatch[] {
  const mismatches = compare(found.items, wanted.items);
  if (mismatches.length > 0 || found.first === undefined) return mismatches;
  const places = found.first.map((type, place) => compare(type, wanted.first?.[place] ?? wanted.items));
  return possibly(places.find((each) => each.length > 0) ?? []);
}

/** The relation between a value and an option. */
type Relation = "fits" | "may fit" | "other value" | "other kind";

/** Returns why no option accepts `found`; empty if one does. */
function compareScalar(found: Alternative, options: readonly Alternative[]): readonly Mismatch[] {
  const relations = options.map((option) => relate(found, option));
  if (relations.includes("fits")) return [];
  const base = { path: [], found } as const;
  if (found.kind === "Null") return [{ ...base, problem: "null", certain: true }];
  const mayFit = relations.includes("may fit");
  // Numbers that may have a fraction instead of wanted integers are another kind, not another value.
  const isValue = found.kind !== "Float" && (mayFit || relations.includes("other value"));
  return [{ ...base, problem: isValue ? "value" : "type", certain: !mayFit }];
}

function relate(found: Alternative, option: Alternative): Relation {
  switch (found.kind) {
    case "Bytes":
    case "Timestamp":
      // In a message both are texts with an unknown value.
      if (option.kind === found.kind) return "fits";
      if (option.kind !== "String") return "other kind";
      return option.value === undefined ? "fits" : "may fit";
    case "Float":
      if (option.kind === "Float") return "fits";
      return option.kind === "Integer" ? "may fit" : "other kind";
    case "Integer":
      if (option.kind === "Float") return "fits";
      return option.kind === "Integer" ? relateValues(found.value, option.value) : "other kind";
    case "Bool":
      return option.kind === "Bool" ? relateValues(found.value, option.value) : "other kind";
    case "String":
      return option.kind === "String" ? relateValues(found.value, option.value) : "other kind";
    default:
      return option.kind === found.kind ? "fits" : "other kind";
  }
}

function relateValues<T>(found: T | undefined, wanted: T | undefined): Relation {
  if (wanted === undefined || found === wanted) return "fits";
  return found === undefined ? "may fit" : "other value";
}
