// Names in messages: lists of them, and the nearest one for every "did you mean".

import { distance } from "fastest-levenshtein";

/** The nearest name, for a hint, and whether putting it in place of the wrong one can be trusted. */
export interface Nearest {
  readonly closest: string | undefined;
  /** `sure` where nothing else can have been meant; absent where the name cannot simply be replaced. */
  readonly respelling?: "sure" | "unsure" | undefined;
}

/** Within this many letters a second candidate makes it a guess. */
const sureDistance = 2;

/**
 * The candidate nearest to `name`, if near enough to be what was meant: at most a third of its letters
 * differ (one letter is always allowed in names of three or more), two swapped neighbours counting as
 * one. Case counts for nothing. Ties go to the first in `candidates`.
 */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  return nearestSpelling(name, [...candidates], new Set()).closest;
}

/** The same, or the one that the name begins with: `bearer` for `bearerAuth`. */
export function suggestStart(name: string, candidates: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  return suggest(name, candidates) ?? candidates.find((each) => lower.startsWith(each.toLowerCase()));
}

/**
 * The same as `suggest`, and how sure it is: the only candidate within two letters is. Where none is near, the one that the name
 * abbreviates. Names in `taken` stand beside the wrong one already, and cannot be written a second time.
 */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  taken: ReadonlySet<string> = new Set(),
): Nearest {
  const all = [...candidates];
  const spelling = nearestSpelling(name, all, taken);
  return spelling.closest === undefined ? abbreviated(name, all, taken) : spelling;
}

function nearestSpelling(name: string, all: readonly string[], taken: ReadonlySet<string>): Nearest {
  const allowed = Math.max(name.length >= 3 ? 1 : 0, Math.floor(name.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  const near = new Set<string>();
  for (const candidate of all) {
    const between = difference(name.toLowerCase(), candidate.toLowerCase());
    if (between <= sureDistance) near.add(candidate);
    if (between < bestDistance) {
      best = candidate;
      bestDistance = between;
    }
  }
  if (best === undefined || taken.has(best)) return { closest: best };
  const isSure = near.size === 1 && bestDistance <= sureDistance && digitsOf(name) === digitsOf(best);
  return { closest: best, respelling: isSure ? "sure" : "unsure" };
}

/**
 * The one candidate that goes on, or goes on before, where the name ends or begins (`addr`, `group`), or the other way round
 * (`routing_key`, `username`). Never more than a guess.
 */
function abbreviated(name: string, candidates: readonly string[], taken: ReadonlySet<string>): Nearest {
  if (name.length < 3) return { closest: undefined };
  const short = name.toLowerCase();
  const [only, ...others] = candidates.filter(
    (each) =>
      (/^\w+$/.test(each) && each.startsWith(short)) ||
      each.endsWith(`_${short}`) ||
      short.startsWith(`${each}_`) ||
      (each.length >= 3 && short.endsWith(`_${each}`)) ||
      (each.length >= 4 && short === `${each}name`),
  );
  if (only === undefined || others.length > 0) return { closest: undefined };
  return taken.has(only) ? { closest: only } : { closest: only, respelling: "unsure" };
}

/** Names that differ in a number (`uuid_v5`, `uuid_v4`) are different things, not one misspelt. */
function digitsOf(name: string): string {
  return name.replace(/\D/g, "");
}

/** Letters in which two words differ, two swapped neighbours counting as one. */
export function difference(a: string, b: string): number {
  return isSwap(a, b) ? 1 : distance(a, b);
}

/** `kafak` and `kafka`: the commonest slip, which plain edit distance counts twice. */
function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at++;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** `a`, `b` and `c`, each in backticks. */
export function quoteAll(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} and ${last}`;
}

/** Most names that a hint lists. */
const shownAtMost = 8;

/** `Known fields: \`a\`, \`b\`.`, of many only the first; nothing where there is none. */
export function listKnown(what: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, shownAtMost).map((name) => `\`${name}\``);
  return `${what}: ${shown.join(", ")}${names.length > shownAtMost ? ", …" : ""}.`;
}
