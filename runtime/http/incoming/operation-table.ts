// The operations that a request may be for: authentication, validation and limits all ask here.

import { decodeFully, decodeSegment } from "../request-path.ts";
import type { FoundApi } from "../router.ts";

/** Segments as they were sent. */
type Raw = readonly string[];

const slash = /%2f|\//i;

const encodedPercent = /%25/;

/**
 * The readings of a path, each as segments as sent: as it is, and as servers read it that decode again and again, divide segments at
 * encoded slashes, leave out parameters of segments (RFC 3986, section 3.3) or the extension of the last one. Empty segments
 * are left out of all.
 */
function readingsOf(raw: Raw): readonly Raw[] {
  const text = raw.join("/");
  let all: Raw[] = [raw.filter(isNotEmpty)];
  const add = (read: (reading: Raw) => Raw) => {
    all = [...all, ...all.map((reading) => read(reading).filter(isNotEmpty))];
  };
  if (encodedPercent.test(text)) add((reading) => reading.map((segment) => decodeFully(segment) ?? segment));
  if (all.some((reading) => reading.some((each) => slash.test(each)))) {
    add((reading) => reading.flatMap((segment) => segment.split(slash)));
  }
  if (all.some((reading) => reading.some((each) => findParameters(each) >= 0))) {
    add((reading) => reading.map(withoutParameters));
  }
  for (const read of [withoutExtension, withoutExtensions]) {
    if (all.some((reading) => read(reading) !== reading)) add(read);
  }
  return all;
}

/** A segment as sent, decoded. An escape that stands for no character stays. */
function readSegment(sent: string): string {
  return sent.includes("%") ? (decodeSegment(sent) ?? sent) : sent;
}

/** A decoded segment as servers compare it that care neither for case nor for forms of letters. */
function foldCase(segment: string): string {
  // Capitals first: some letters have a capital of ASCII, but are no small letter of one.
  return segment.normalize("NFKC").toUpperCase().toLowerCase();
}

/** The same for servers that do not care for dots and blanks at its end either. */
function foldSegment(segment: string): string {
  let end = segment.length;
  while (end > 0 && (segment[end - 1] === "." || segment[end - 1] === " ")) end -= 1;
  return foldCase(segment.slice(0, end));
}

function findParameters(segment: string): number {
  return segment.search(/;|%3b/i);
}

function withoutParameters(segment: string): string {
  const at = findParameters(segment);
  return at < 0 ? segment : segment.slice(0, at);
}

/** `/items.json` as `/items`, and so is `/items/.json`. */
function withoutExtension(reading: Raw): Raw {
  return cutLast(reading, (last) => last.lastIndexOf("."));
}

/** `/items.tar.gz` as `/items`. */
function withoutExtensions(reading: Raw): Raw {
  return cutLast(reading, (last) => last.indexOf("."));
}

function cutLast(reading: Raw, find: (last: string) => number): Raw {
  const last = (reading.at(-1) ?? "").replaceAll(/%2e/gi, ".");
  const at = find(last);
  return at < 0 ? reading : [...reading.slice(0, -1), last.slice(0, at)];
}

function isNotEmpty(segment: string): boolean {
  return segment !== "";
}

/** Something that holds for the requests of one operation. */
export interface DescribedOperation {
  /** As documents write it, below the listen path: `/orders/{id}`. */
  readonly path: string;
  /** In capitals. */
  readonly verb: string;
}

/** An operation that a request may be for. */
export interface FoundOperation<O> {
  readonly operation: O;
  /** What its path parameters took, as sent, by name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Whether the path spells it and can mean nothing else, as it has no parameter. */
  readonly isFixed: boolean;
}

/** All operations that a request may be for. */
export interface FoundOperations<O> {
  /** The one that its path spells, or whose prefix route it is under. */
  readonly own?: FoundOperation<O>;
  /** Those that servers behind the gateway may take it for as well, and that of the prefix route behind an own one. */
  readonly alike: readonly FoundOperation<O>[];
}

/** Where a request is, as the router has found it. */
export type RoutedPath = Pick<FoundApi<unknown>, "rest" | "findRoutes">;

export type FindOperations<O> = (verb: string, place: RoutedPath) => FoundOperations<O>;

interface Entry<O> {
  readonly operation: O;
  readonly segments: readonly Segment[];
  /** Without empty segments, as servers read it that merge slashes. */
  readonly merged: readonly Segment[];
  /** The same as servers might read it that do not care for case. */
  readonly loose: readonly Segment[];
  readonly isFixed: boolean;
}

/** One segment of a pattern: a text, or the texts around its parameters. */
type Segment = string | { readonly names: readonly string[]; readonly texts: readonly string[] };

/**
 * Finds operations by verb and path. A path is that of an operation when it has its segments, no more and no fewer, fixed
 * ones as they are and anything but nothing where there are parameters. Of several that fit, the one with the earlier fixed
 * segment is meant; where that one does not have the verb, others that fit are alike. Alike are, further, those that fit a
 * reading of the path (`readings.ts`) and say more of it than its own, those whose path ends with `/` and that a reading
 * lies below that no other declares, and those that have the verb GET where nothing is declared for HEAD.
 */
export function createOperationTable<O extends DescribedOperation>(
  operations: readonly O[],
): FindOperations<O> {
  if (operations.length === 0) return () => nothing;
  const entries = operations.map(readEntry).toSorted(byFixedSegments);
  const bySize = Map.groupBy(entries, ({ segments }) => segments.length);
  const byLooseSize = Map.groupBy(entries, ({ loose }) => loose.length);
  const below = entries.filter(({ operation, loose }) => operation.path.endsWith("/") && loose.length > 0);
  // Then no reading of a plain path says more than the path itself.
  const isFolded = operations.every(({ path }) => isFoldedPattern.test(path.replaceAll(/\{[^{}]+\}/g, "p")));
  const byPath = Map.groupBy(entries, ({ operation }) => operation.path);

  /** The operation that the path spells. */
  function findSpelled(verb: string, { rest }: RoutedPath): FoundOperation<O> | undefined {
    if (rest.segments.some((segment) => segment.includes("/"))) return undefined;
    const fitting = bySize.get(rest.segments.length)?.filter(({ segments }) => fits(segments, rest.segments));
    const [first] = fitting ?? [];
    const entry = fitting?.find(
      (each) => each.operation.verb === verb && first !== undefined && byFixedSegments(each, first) === 0,
    );
    return entry && foundOf(entry, rest.raw, entry.segments, true);
  }

  /** The operation of the prefix route that a request is under. */
  function findOfRoute(verb: string, { rest, findRoutes }: RoutedPath): FoundOperation<O> | undefined {
    const route = routeOf(findRoutes);
    const onRoute = route?.endsWith("/") === true ? byPath.get(route) : undefined;
    const entry = onRoute?.find(({ operation }) => operation.verb === verb);
    return entry && foundOf(entry, rest.raw, entry.segments.slice(0, -1), false);
  }

  function findAlike(verb: string, { rest, findRoutes }: RoutedPath): readonly FoundOperation<O>[] {
    const found: FoundOperation<O>[] = [];
    // A stream's route of its own is below nothing.
    const isBelow = below.length > 0 && routeOf(findRoutes)?.endsWith("/") !== false;
    for (const { sent, segments, part } of readingsOf(rest.raw).flatMap(comparedAs)) {
      const isFor = (entry: Entry<O>) =>
        entry.operation.verb === verb && fits(entry[part], segments.slice(0, entry[part].length));
      const same = byLooseSize.get(segments.length)?.filter(isFor) ?? [];
      const [first] = same;
      for (const entry of same) {
        if (first !== undefined && compareSegments(entry.loose, first.loose) === 0)
          found.push(foundOf(entry, sent, entry[part], false));
      }
      if (!isBelow || same.length > 0) continue;
      for (const entry of below) {
        if (entry.loose.length < segments.length && isFor(entry))
          found.push(foundOf(entry, sent, entry[part], false));
      }
    }
    return found;
  }

  function findAll(verb: string, place: RoutedPath): FoundOperations<O> {
    const spelled = findSpelled(verb, place);
    if (spelled?.isFixed === true) return { own: spelled, alike: none };
    const ofRoute = findOfRoute(verb, place);
    if (spelled !== undefined && ofRoute === undefined && isFolded && isPlain(place.rest.raw)) {
      return { own: spelled, alike: none };
    }
    const own = spelled ?? ofRoute;
    const verbs = verb === "HEAD" && own === undefined ? [verb, "GET"] : [verb];
    const known = new Set<O>(own && [own.operation]);
    const alike = [...(ofRoute ? [ofRoute] : []), ...verbs.flatMap((each) => findAlike(each, place))].filter(
      (each) => {
        const { operation } = each;
        const counts = each === ofRoute || own === undefined || saysMore(operation, own.operation);
        const isNew = counts && !known.has(operation);
        known.add(operation);
        return isNew;
      },
    );
    return { ...(own && { own }), alike };
  }

  /** Clients ask for the paths without parameters again and again. */
  const known = new WeakMap<RoutedPath, Map<string, FoundOperations<O>>>();
  return (verb, place) => {
    const same = known.get(place)?.get(verb);
    if (same !== undefined) return same;
    const found = findAll(verb, place);
    if (found.own?.isFixed === true) known.set(place, (known.get(place) ?? new Map()).set(verb, found));
    return found;
  };
}

const isFoldedPattern = /^(?:\/[a-z0-9_-]+)+$/;
const plainSegment = /^[a-z0-9_-]+$/;

/** Whether every server reads a path as it is spelled. */
function isPlain(raw: readonly string[]): boolean {
  return raw.every((segment) => plainSegment.test(segment));
}

const none: readonly never[] = [];
const nothing = { alike: none };

/** Whether a path says more than another one that fits the same request, or is one of another length, as another reading has it. */
function saysMore(one: DescribedOperation, other: DescribedOperation): boolean {
  const [first, second] = [loosePattern(one.path), loosePattern(other.path)];
  return first.length !== second.length || compareSegments(first, second) < 0;
}

/** Whether a declared path fixes a segment before another one does that has as many. */
export function isMoreParticular(path: string, other: string): boolean {
  const [first, second] = [patternOf(path), patternOf(other)];
  return first.length === second.length && compareSegments(first, second) < 0;
}

/** The path of the stream's route for a request. */
function routeOf(findRoutes: RoutedPath["findRoutes"]): string | undefined {
  const routes = findRoutes()?.value;
  if (routes === undefined) return undefined;
  const [route = routes.sockets[0]] = routes.byVerb.values();
  return route?.endpoint.path;
}

/** Segments of a reading, as one kind of server compares them with a form of the declared paths. */
interface Compared {
  readonly sent: readonly string[];
  readonly segments: readonly string[];
  readonly part: "merged" | "loose";
}

/**
 * A reading as strict and as lenient servers compare it: to a strict one, `/items/NEW` is not a `/items/new`, but an item of
 * that name.
 */
function comparedAs(sent: readonly string[]): readonly Compared[] {
  const segments = sent.map(readSegment);
  const folded = segments.map(foldCase);
  const stripped = segments.map(foldSegment);
  // Of blanks or dots alone, nothing is left.
  const kept = sent.filter((_, index) => stripped[index] !== "");
  const loose = stripped.filter((each) => each !== "");
  const isStrict = isSame(segments, loose);
  return [
    { sent: kept, segments: loose, part: "loose" },
    ...(isSame(folded, loose) ? [] : [{ sent, segments: folded, part: "loose" } as const]),
    ...(isStrict ? [] : [{ sent, segments, part: "merged" } as const]),
  ];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((segment, index) => segment === other[index]);
}

function foundOf<O>(
  { operation, isFixed }: Entry<O>,
  raw: readonly string[],
  pattern: readonly Segment[],
  isSpelled: boolean,
): FoundOperation<O> {
  const parameters = new Map<string, string>();
  for (const [index, segment] of pattern.entries()) {
    if (typeof segment === "string") continue;
    const values = takeFrom(segment.texts, raw[index] ?? "") ?? [];
    segment.names.forEach((name, at) => {
      parameters.set(name, values[at] ?? "");
    });
  }
  return { operation, parameters, isFixed: isSpelled && isFixed };
}

function readEntry<O extends DescribedOperation>(operation: O): Entry<O> {
  const segments = patternOf(operation.path);
  return {
    operation,
    segments,
    merged: mergedPattern(operation.path),
    loose: loosePattern(operation.path),
    isFixed: segments.every((segment) => typeof segment === "string"),
  };
}

function patternOf(path: string): readonly Segment[] {
  return path.slice(1).split("/").map(readPattern);
}

function mergedPattern(path: string): readonly Segment[] {
  return path
    .split("/")
    .filter((segment) => segment !== "")
    .map(readPattern);
}

function loosePattern(path: string): readonly Segment[] {
  return mergedPattern(path).map((segment) =>
    typeof segment === "string"
      ? foldSegment(readSegment(segment))
      : { ...segment, texts: segment.texts.map((text) => text.toLowerCase()) },
  );
}

function readPattern(segment: string): Segment {
  const parts = segment.split(/\{([^{}]+)\}/);
  if (parts.length === 1) return segment;
  return {
    names: parts.filter((_, index) => index % 2 === 1),
    texts: parts.filter((_, index) => index % 2 === 0),
  };
}

function fits(pattern: readonly Segment[], given: readonly string[]): boolean {
  return pattern.every((segment, index) => {
    const text = given[index] ?? "";
    return typeof segment === "string" ? segment === text : takeFrom(segment.texts, text) !== undefined;
  });
}

/** What stands between texts; `undefined` where they are not there in turn, or nothing is between two of them. */
function takeFrom(texts: readonly string[], from: string): readonly string[] | undefined {
  const [first = "", ...others] = texts;
  if (!from.startsWith(first)) return undefined;
  const taken: string[] = [];
  let at = first.length;
  for (const [index, text] of others.entries()) {
    const isLast = index === others.length - 1;
    const end = isLast ? from.length - text.length : from.indexOf(text, at + 1);
    if (end <= at || !from.startsWith(text, end)) return undefined;
    taken.push(from.slice(at, end));
    at = end + text.length;
  }
  return taken;
}

/** Negative where the first difference is a segment that is fixed in `one` and has a parameter in `other`. */
function byFixedSegments(
  one: Pick<Entry<unknown>, "segments">,
  other: Pick<Entry<unknown>, "segments">,
): number {
  return compareSegments(one.segments, other.segments);
}

function compareSegments(one: readonly Segment[], other: readonly Segment[]): number {
  for (const [index, segment] of one.entries()) {
    const difference = freedomOf(segment) - freedomOf(other[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How much a segment leaves open: nothing, a part of it, or all. */
function freedomOf(segment: Segment | undefined): number {
  if (segment === undefined) return 2;
  if (typeof segment === "string") return 0;
  return segment.texts.some((text) => text !== "") ? 1 : 2;
}
