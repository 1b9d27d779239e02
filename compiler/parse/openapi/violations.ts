// Reduces the violations that a schema validator reports to the actual errors. A value that matches none of several
// forms is judged by the form that is most similar, and consequences of other errors are dropped.

import { escapeKey } from "../../trees/pointer.ts";

/** One error that the validator reports. */
export interface Violation {
  /** The JSON pointer of the value. */
  readonly instancePath: string;
  /** The place of the rule in the schema. */
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Returns the violations that are worth reporting. */
export function reduceViolations(all: readonly Violation[]): readonly Violation[] {
  let left: readonly Violation[] = all.filter(
    ({ keyword }) => keyword !== "if" && keyword !== "propertyNames",
  );
  const alternatives = left
    .filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf")
    .toSorted((a, b) => depthOf(b) - depthOf(a));
  for (const alternative of alternatives) left = settle(alternative, left);
  return dropDuplicates(left.filter((one) => !isConsequence(one, left)));
}

/** Replaces "matches none of the forms" by the errors of the most similar form. */
function settle(alternative: Violation, all: readonly Violation[]): readonly Violation[] {
  const within = all.filter((one) => one !== alternative && isWithin(one, alternative));
  const inline = within.filter((one) => one.schemaPath.startsWith(`${alternative.schemaPath}/`));
  // Violations of forms that are defined elsewhere contain at most the name of their definition.
  const related = inline.length > 0 ? inline : within;
  const branches = new Map<string, readonly Violation[]>();
  for (const one of related) {
    const branch = inline.length > 0 ? numberOf(one, alternative) : nameOf(one, alternative);
    branches.set(branch, [...(branches.get(branch) ?? []), one]);
  }
  const nearest = chooseBranch(alternative, [...branches.values()]);
  if (nearest.length === 0) return all;
  return [...all.filter((one) => one !== alternative && !related.includes(one)), ...nearest];
}

function numberOf(one: Violation, alternative: Violation): string {
  return one.schemaPath.slice(alternative.schemaPath.length + 1).split("/")[0] ?? "";
}

function nameOf(one: Violation, alternative: Violation): string {
  if (isMissingReference(one, alternative)) return "reference";
  if (depthOf(one) > depthOf(alternative) + 1) return "";
  return /^#\/(?:definitions|\$defs)\/([^/]+)/.exec(one.schemaPath)?.[1] ?? "";
}

function chooseBranch(at: Violation, branches: readonly (readonly Violation[])[]): readonly Violation[] {
  const candidates = branches.filter((branch) => !branch.some((one) => isMissingReference(one, at)));
  if (candidates.length <= 1) return candidates[0] ?? [];
  const fitting = candidates.filter((branch) => !branch.some((one) => isMismatch(one, at)));
  if (fitting.length === 0) return mergeChoices(candidates, at);
  const [best = []] = fitting.toSorted((a, b) => depthOfAll(b) - depthOfAll(a) || a.length - b.length);
  return best;
}

/** Merges mismatches: if no form has this `type` or `in`, the choices are all values that some form allows. */
function mergeChoices(branches: readonly (readonly Violation[])[], at: Violation): readonly Violation[] {
  const mismatches = branches.flat().filter((one) => isMismatch(one, at));
  const [first] = mismatches;
  if (first === undefined) return branches[0] ?? [];
  const choices = mismatches
    .filter((one) => one.instancePath === first.instancePath)
    .flatMap((one) => one.params.allowedValues ?? [one.params.allowedValue]);
  return [{ ...first, keyword: "enum", params: { allowedValues: [...new Set(choices)] } }];
}

/**
 * Whether a violation follows from another one. Fields also count as unknown if the check of their object was aborted:
 * the reason of that is the actual error. OpenAPI 3.2 requires `default` if no other response was understood.
 */
function isConsequence(one: Violation, all: readonly Violation[]): boolean {
  const siblings = all.filter((other) => other.instancePath === one.instancePath);
  if (one.keyword === "required" && one.params.missingProperty === "default") {
    return siblings.some(isUnevaluated);
  }
  if (!isUnevaluated(one)) return false;
  const field = escapeKey(String(one.params.unevaluatedProperty));
  const below = `${one.instancePath}/${field}/`;
  return all.some((other) => {
    if (isUnevaluated(other) || other.params.missingProperty === "default") return false;
    const isInside = `${other.instancePath}/`.startsWith(below);
    return other.instancePath === one.instancePath || isInside || isMismatch(other, one);
  });
}

function isUnevaluated(one: Violation): boolean {
  return one.keyword === "unevaluatedProperties";
}

function isMissingReference(one: Violation, at: Violation): boolean {
  return one.instancePath === at.instancePath && one.params.missingProperty === "$ref";
}

/** Whether the violation is in a field directly in the object that selects the form and has another value. */
function isMismatch(one: Violation, at: Violation): boolean {
  return (
    (one.keyword === "enum" || one.keyword === "const") &&
    isWithin(one, at) &&
    depthOf(one) === depthOf(at) + 1
  );
}

function isWithin(one: Violation, at: Violation): boolean {
  return `${one.instancePath}/`.startsWith(`${at.instancePath}/`);
}

function depthOf({ instancePath }: Violation): number {
  return instancePath.split("/").length;
}

function depthOfAll(branch: readonly Violation[]): number {
  return branch.reduce((deepest, one) => Math.max(deepest, depthOf(one)), Number.NEGATIVE_INFINITY);
}

function dropDuplicates(all: readonly Violation[]): readonly Violation[] {
  const seen = new Set<string>();
  return all.filter(({ instancePath, keyword, params }) => {
    const key = JSON.stringify([instancePath, keyword, params]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
