// Reduces the violations that a schema validator reports to the actual errors. A value that matches none of several
// forms is judged by the form that is most similar, and consequences of other errors are dropped.

import { firstIndex } from "../../source/sorted.ts";
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
  const found = all.filter(({ keyword }) => keyword !== "if" && keyword !== "propertyNames");
  const alternatives = found
    .filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf")
    .toSorted((a, b) => depthOf(b) - depthOf(a));
  const left = new Violations(found);
  for (const alternative of alternatives) settle(alternative, left);
  const listed = left.list();
  const isConsequence = consequencesOf(listed);
  return dropDuplicates(listed.filter((one) => !isConsequence(one)));
}

/** Violations by place: a document may have tens of thousands, and those of one value are a few of them. */
class Violations {
  /** All violations in order, with their positions. */
  readonly #positions = new Map<Violation, number>();
  readonly #byPlace = new Map<string, Set<Violation>>();
  /** The places, sorted, so that those in a value follow it. */
  readonly #places: readonly string[];
  #added = 0;

  constructor(all: readonly Violation[]) {
    for (const one of all) this.#add(one);
    this.#places = [...this.#byPlace.keys()].sort();
  }

  list(): readonly Violation[] {
    return [...this.#positions.keys()];
  }

  /** Returns the violations of a value and of those in it, in order. */
  within(value: string): readonly Violation[] {
    const found: Violation[] = [];
    for (let at = firstFrom(this.#places, `${value}/`); ; at++) {
      const place = this.#places[at];
      if (place?.startsWith(`${value}/`) !== true) break;
      found.push(...(this.#byPlace.get(place) ?? []));
    }
    return found.sort((a, b) => (this.#positions.get(a) ?? 0) - (this.#positions.get(b) ?? 0));
  }

  /** Puts others, which are of the same values, behind all in place of some. */
  replace(some: readonly Violation[], others: readonly Violation[]): void {
    for (const one of some) {
      this.#positions.delete(one);
      this.#byPlace.get(`${one.instancePath}/`)?.delete(one);
    }
    for (const one of others) this.#add(one);
  }

  #add(one: Violation): void {
    const place = `${one.instancePath}/`;
    const present = this.#byPlace.get(place) ?? new Set();
    this.#byPlace.set(place, present.add(one));
    this.#positions.set(one, this.#added++);
  }
}

/** Replaces "matches none of the forms" by the errors of the most similar form. */
function settle(alternative: Violation, left: Violations): void {
  const within = left.within(alternative.instancePath).filter((one) => one !== alternative);
  const inline = within.filter((one) => one.schemaPath.startsWith(`${alternative.schemaPath}/`));
  // Violations of forms that are defined elsewhere contain at most the name of their definition.
  const related = inline.length > 0 ? inline : within;
  const branches = Map.groupBy(related, (one) =>
    inline.length > 0 ? numberOf(one, alternative) : nameOf(one, alternative),
  );
  const nearest = chooseBranch(alternative, [...branches.values()]);
  if (nearest.length > 0) left.replace([alternative, ...related], nearest);
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
 * Returns whether a violation follows from another one. Fields also count as unknown if the check of their object was
 * aborted: the reason of that is the actual error. OpenAPI 3.2 requires `default` if no other response was understood.
 */
function consequencesOf(all: readonly Violation[]): (one: Violation) => boolean {
  // Collected once: a document may have tens of thousands of unknown fields.
  const unevaluated = new Set(all.filter(isUnevaluated).map(({ instancePath }) => instancePath));
  const causes = all.filter((one) => !isUnevaluated(one) && one.params.missingProperty !== "default");
  const mismatched = causes.filter(isChoice).map(({ instancePath }) => parentOf(instancePath));
  const places = new Set([...causes.map(({ instancePath }) => instancePath), ...mismatched]);
  // An unknown field of an object also aborts the check of the object around it.
  const sorted = all
    .filter((one) => one.params.missingProperty !== "default")
    .map(({ instancePath }) => `${instancePath}/`)
    .sort();
  const isCauseIn = (value: string) => sorted[firstFrom(sorted, value)]?.startsWith(value) === true;
  return (one) => {
    if (one.keyword === "required" && one.params.missingProperty === "default")
      return unevaluated.has(one.instancePath);
    if (!isUnevaluated(one)) return false;
    const field = escapeKey(String(one.params.unevaluatedProperty));
    return places.has(one.instancePath) || isCauseIn(`${one.instancePath}/${field}/`);
  };
}

/** Returns the index of the first of the sorted texts that is not before `text`. */
function firstFrom(sorted: readonly string[], text: string): number {
  return firstIndex(sorted.length, (index) => (sorted[index] ?? "") >= text);
}

function parentOf(instancePath: string): string | undefined {
  const last = instancePath.lastIndexOf("/");
  return last === -1 ? undefined : instancePath.slice(0, last);
}

function isUnevaluated(one: Violation): boolean {
  return one.keyword === "unevaluatedProperties";
}

function isMissingReference(one: Violation, at: Violation): boolean {
  return one.instancePath === at.instancePath && one.params.missingProperty === "$ref";
}

/** Whether the violation is in a field directly in the object that selects the form and has another value. */
function isMismatch(one: Violation, at: Violation): boolean {
  return isChoice(one) && parentOf(one.instancePath) === at.instancePath;
}

function isChoice({ keyword }: Violation): boolean {
  return keyword === "enum" || keyword === "const";
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
