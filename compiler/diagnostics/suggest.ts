// Names in messages: lists of names, and the most similar name for every "did you mean".

import { distance } from "fastest-levenshtein";

/** The most similar name, for a hint, and whether it can safely replace the wrong one. */
export interface Nearest {
  readonly closest: string | undefined;
  /** `sure` if nothing else can have been meant; absent if the name cannot simply be replaced. */
  readonly respelling?: "sure" | "unsure" | undefined;
}

/** The number of letters within which a second candidate makes the result a guess. */
const sureDistance = 2;

/**
 * Returns the candidate most similar to `name` if it is similar enough: at most a third of the letters differ (one
 * letter is always allowed in names of three or more). Two swapped neighbours count as one difference, and case is
 * ignored. Among equally similar candidates the first is returned.
 */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  return nearestSpelling(name, namesIn(candidates), new Set()).closest;
}

/** Like `suggest`; otherwise returns the candidate that the name begins with: `bearer` for `bearerAuth`. */
export function suggestStart(name: string, candidates: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  return suggest(name, candidates) ?? candidates.find((each) => lower.startsWith(each.toLowerCase()));
}

/**
 * Like `suggest`, with its certainty: the result is sure if it is the only candidate within two letters. If none is
 * similar, returns the candidate that the name abbreviates. Names in `taken` are already used next to the wrong one and
 * cannot be used again.
 */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  taken: ReadonlySet<string> = new Set(),
): Nearest {
  const names = namesIn(candidates);
  const { all } = names;
  const spelling = nearestSpelling(name, names, taken);
  if (spelling.closest !== undefined || all.length > manyCandidates) return spelling;
  const inflected = all.find((each) => pluralOf(each) === name || pluralOf(name) === each);
  if (inflected === undefined) return abbreviated(name, all, taken);
  return taken.has(inflected) ? { closest: inflected } : { closest: inflected, respelling: "unsure" };
}

/** `retries` for `retry`, `addresses` for `address`; other plurals differ in one letter. */
function pluralOf(name: string): string {
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}es`;
}

/** The length above which a name is compared with no other: the work is the product of both lengths. */
const longestName = 200;

/**
 * The number of candidates with which a name is compared. In a longer list, only those count that look alike at a glance.
 * Otherwise thousands of unknown names would take minutes beside thousands of candidates.
 */
const manyCandidates = 300;

function nearestSpelling(name: string, names: Names, taken: ReadonlySet<string>): Nearest {
  if (name.length > longestName) return { closest: undefined };
  const lower = name.toLowerCase();
  const allowed = Math.max(name.length >= 3 ? 1 : 0, Math.floor(name.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  let compared = 0;
  const near = new Set<string>();
  for (const candidate of names.all.length > manyCandidates ? names.search(name, glance) : names.all) {
    // Words differ in at least as many letters as their lengths.
    if (Math.abs(candidate.length - name.length) > Math.max(allowed, sureDistance)) continue;
    if (compared++ === manyCandidates) break;
    const between = difference(lower, candidate.toLowerCase());
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

/** A relation of names for which each name has keys: names that are alike share one. */
interface Likeness {
  isLike(name: string, candidate: string): boolean;
  keysOf(name: string): readonly string[];
}

const glance: Likeness = {
  isLike: looksAlike,
  keysOf(name) {
    const ends = Array.from({ length: Math.min(4, name.length + 1) }, (_, left) => name.length - left);
    const parts = ends.flatMap((end) => [`${name.slice(0, end)}…`, `…${name.slice(name.length - end)}`]);
    return [`${name[0]}…${name.at(-1)}`, ...parts];
  },
};

const slip: Likeness = {
  isLike: (name, candidate) => candidate.length <= longestName && isSlip(name, candidate),
  /** Returns the parts as they are, and with one letter left out. */
  keysOf(name) {
    if (name.length > longestName) return [];
    const parts = partsOf(name);
    const shortened = parts.flatMap((part, at) =>
      canSlip(part)
        ? Array.from({ length: part.length }, (_, left) =>
            parts.with(at, part.slice(0, left) + part.slice(left + 1)).join("\n"),
          )
        : [],
    );
    return [...new Set([parts.join("\n"), ...shortened])];
  },
};

/** The number of searches that together take about as long as indexing the names. */
const fewSearches = 8;

/** The names of a collection. After a few searches they are indexed, so that many searches take linear time. */
class Names {
  readonly all: readonly string[];
  /** By likeness: the index, or the number of searches without one. */
  readonly #indexes = new Map<Likeness, ReadonlyMap<string, readonly number[]> | number>();

  constructor(names: Iterable<string>) {
    this.all = [...names];
  }

  /** Returns the names that are like `name`, in order. */
  *search(name: string, likeness: Likeness): Generator<string> {
    for (const candidate of this.#candidates(name, likeness))
      if (likeness.isLike(name, candidate)) yield candidate;
  }

  *#candidates(name: string, likeness: Likeness): Generator<string> {
    const known = this.#indexes.get(likeness) ?? 0;
    if (typeof known === "number" && known < fewSearches) {
      this.#indexes.set(likeness, known + 1);
      yield* this.all;
      return;
    }
    const index = typeof known === "number" ? indexBy(this.all, likeness) : known;
    this.#indexes.set(likeness, index);
    for (const place of merged(likeness.keysOf(name).flatMap((key) => [index.get(key) ?? []])))
      yield this.all[place] ?? "";
  }
}

function indexBy(names: readonly string[], { keysOf }: Likeness): ReadonlyMap<string, readonly number[]> {
  const index = new Map<string, number[]>();
  for (const [place, name] of names.entries()) {
    for (const key of keysOf(name)) {
      const places = index.get(key);
      if (places === undefined) index.set(key, [place]);
      else places.push(place);
    }
  }
  return index;
}

/** Merges ascending lists, without duplicates. */
function* merged(lists: readonly (readonly number[])[]): Generator<number> {
  const starts = lists.map(() => 0);
  for (let last = -1; ; ) {
    let next = Number.POSITIVE_INFINITY;
    for (const [at, list] of lists.entries()) {
      let start = starts[at] ?? 0;
      while ((list[start] ?? next) <= last) start++;
      starts[at] = start;
      next = Math.min(next, list[start] ?? next);
    }
    if (next === Number.POSITIVE_INFINITY) return;
    yield next;
    last = next;
  }
}

/** The names of collections that were searched. A collection that has grown since is read again. */
const searched = new WeakMap<object, Names>();

function namesIn(candidates: Iterable<string>): Names {
  const known = searched.get(candidates);
  const size = Array.isArray(candidates)
    ? candidates.length
    : candidates instanceof Set
      ? candidates.size
      : -1;
  if (known?.all.length === size) return known;
  const names = new Names(candidates);
  if (size >= 0) searched.set(candidates, names);
  return names;
}

/** Whether two names have the same first and last letter, or differ at one place, in at most three letters. */
function looksAlike(name: string, candidate: string): boolean {
  if (name[0] === candidate[0] && name.at(-1) === candidate.at(-1)) return true;
  const shorter = Math.min(name.length, candidate.length);
  let start = 0;
  while (start < shorter && name[start] === candidate[start]) start++;
  let end = 0;
  while (end < shorter - start && name.at(-1 - end) === candidate.at(-1 - end)) end++;
  return Math.max(name.length, candidate.length) - start - end <= 3;
}

/**
 * Returns the only candidate that begins or ends with the name (`addr`, `group`), or with which the name begins or ends
 * (`routing_key`, `username`). Always a guess.
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

/**
 * Returns the digits of a name. Names with different numbers (`uuid_v5`, `uuid_v4`) are no misspellings of each other.
 */
function digitsOf(name: string): string {
  return name.replace(/\D/g, "");
}

/** Returns the number of letters in which two words differ. Two swapped neighbours count as one. */
export function difference(a: string, b: string): number {
  return isSwap(a, b) ? 1 : distance(a, b);
}

/** Whether two neighbours are swapped, as in `kafak`: the most common mistake, which edit distance counts twice. */
function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at++;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/**
 * Whether one name is probably the other misspelt: one part of four letters or more differs in one letter that is no
 * digit, or only the signs between several parts differ.
 */
export function isSlip(one: string, other: string): boolean {
  const [parts, others] = [partsOf(one), partsOf(other)];
  if (parts.length !== others.length || one === other) return false;
  const differing = parts.flatMap((part, at) =>
    part === others[at] ? [] : [[part, others[at] ?? ""] as const],
  );
  const [[part, meant] = ["", ""], ...more] = differing;
  if (differing.length === 0) return parts.length > 1;
  return more.length === 0 && canSlip(part) && canSlip(meant) && difference(part, meant) === 1;
}

/** Returns the first of the candidates of which `name` is probably a misspelling, and that fulfils `isMeant`. */
export function findSlip(
  name: string,
  candidates: Iterable<string>,
  isMeant: (candidate: string) => boolean = () => true,
): string | undefined {
  if (name.length > longestName) return undefined;
  let compared = 0;
  for (const candidate of namesIn(candidates).search(name, slip)) {
    if (isMeant(candidate)) return candidate;
    if (++compared === manyCandidates) return undefined;
  }
  return undefined;
}

/** Returns the words of a name, without the separators between them. */
export function partsOf(name: string): readonly string[] {
  return name.split(/[^\p{L}\p{N}]+/u);
}

/** Whether a part can be misspelt: it is long enough, and contains no digit, because digits distinguish names. */
function canSlip(part: string): boolean {
  return part.length >= 4 && !/\d/.test(part);
}

/** The maximum number of names that a sentence lists. */
const listedAtMost = 32;

/** `a`, `b` and `c`, each in backticks; only the first of many names and the number of the others. */
export function quoteAll(names: readonly string[]): string {
  const isLong = names.length > listedAtMost;
  const quoted = names.slice(0, isLong ? listedAtMost - 1 : listedAtMost).map((name) => `\`${name}\``);
  const last = isLong ? `${names.length - quoted.length} more` : (quoted.pop() ?? "");
  return quoted.length === 0 ? last : `${quoted.join(", ")} and ${last}`;
}

/** `an array` */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

/** The maximum number of names in a hint. */
const shownAtMost = 8;

/** Returns `Known fields: \`a\`, \`b\`.`, with only the first of many names; `undefined` if there are none. */
export function listKnown(what: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, shownAtMost).map((name) => `\`${name}\``);
  return `${what}: ${shown.join(", ")}${names.length > shownAtMost ? ", …" : ""}.`;
}

/** The types of JSON Schema. */
export const typeNames: readonly string[] = [
  "null",
  "boolean",
  "integer",
  "number",
  "string",
  "array",
  "object",
];

/** Names of these types in other languages. */
const otherTypes: ReadonlyMap<string, string> = new Map([
  ["int", "integer"],
  ["int32", "integer"],
  ["int64", "integer"],
  ["long", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["numeric", "number"],
  ["bool", "boolean"],
  ["str", "string"],
  ["text", "string"],
  ["list", "array"],
  ["map", "object"],
  ["dict", "object"],
]);

/** Returns the type of JSON Schema that a name most likely stands for, if any. */
export function suggestType(name: string): string | undefined {
  return otherTypes.get(name) ?? suggest(name, typeNames);
}
