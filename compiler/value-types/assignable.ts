// What is found and what is wanted in, the differences out. Silent wherever either is unknown.

import { type Alternative, alternativesOf } from "./alternatives.ts";
import { compareArrays } from "./assignable/arrays.ts";
import type { TypeComparer } from "./assignable/compare.ts";
import { compareScalar } from "./assignable/scalars.ts";
import { compareWithObjects, splitByDiscriminator } from "./assignable/variants.ts";
import { mergeAlternatives } from "./assignable/verdicts.ts";
import type { Mismatch } from "./mismatch.ts";
import type { Type } from "./type.ts";

/**
 * Why values of type `found` do not fit `wanted`; nothing where all do. A value counts as what it is in a message:
 * bytes and timestamps are texts, a number that is not known to be whole may be, what is deleted or left out is not
 * there to be wrong. Each place and problem is named once. `wantedSpan` is the span of the declared field around
 * what does not fit, absent for the root.
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
    // Until the contrary is found, what is met again inside itself fits.
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

/** One plain type against all that would do. */
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
