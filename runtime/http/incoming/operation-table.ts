// Finds the operations that a request may be for; authentication, validation and limits use the result.

import { decodeFully, decodeSegment } from "../request-path.ts";
import type { FoundApi } from "../router.ts";

/** Segments as they were sent. */
type Raw = readonly string[];

const slash = /%2f|\//i;

const encodedPercent = /%25/;

/**
 * Returns the readings of a path, each as segments as sent: the path as it is, and the readings of servers that decode
 * repeatedly, split segments at encoded slashes, or ignore parameters of segments (RFC 3986, section 3.3) or the
 * extension of the last segment. Empty segments are left out of all readings.
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

/** Decodes a segment as sent. An escape that stands for no character stays. */
function readSegment(sent: string): string {
  return sent.includes("%") ? (decodeSegment(sent) ?? sent) : sent;
}

/** Returns a decoded segment as servers compare it that ignore case and compatibility forms of letters. */
function foldCase(segment: string): string {
  // Upper case first: the capitals of some non-ASCII letters are ASCII letters.
  return segment.normalize("NFKC").toUpperCase().toLowerCase();
}

/** Like `foldCase`, for servers that also ignore dots and spaces at the end of a segment. */
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

/** Reads `/items.json`, and also `/items/.json`, as `/items`. */
function withoutExtension(reading: Raw): Raw {
  return cutLast(reading, (last) => last.lastIndexOf("."));
}

/** Reads `/items.tar.gz` as `/items`. */
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

/** A rule or description for the requests of one operation. */
export interface DescribedOperation {
  /** The path as documents write it, below the listen path: `/orders/{id}`. */
  readonly path: string;
  /** In capitals. */
  readonly verb: string;
}

/** An operation that a request may be for. */
export interface FoundOperation<O> {
  readonly operation: O;
  /** The values of the path parameters, as sent, by name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Whether the path matches literally and can mean nothing else, because the operation has no parameters. */
  readonly isFixed: boolean;
}

/** All operations that a request may be for. */
export interface FoundOperations<O> {
  /** The operation that the path matches, or the prefix route that it is below. */
  readonly own?: FoundOperation<O>;
  /** Other operations that servers may take the request for, and the prefix route if `own` matches the path. */
  readonly alike: readonly FoundOperation<O>[];
}

/** The path of a request, as the router found it. */
export type RoutedPath = Pick<FoundApi<unknown>, "rest" | "routes">;

export type FindOperations<O> = (verb: string, place: RoutedPath) => FoundOperations<O>;

interface Entry<O> {
  readonly operation: O;
  readonly segments: readonly Segment[];
  /** Without empty segments, as servers read it that merge slashes. */
  readonly merged: readonly Segment[];
  /** The same, as servers may read it that ignore case. */
  readonly loose: readonly Segment[];
  readonly isFixed: boolean;
}

/** One segment of a pattern: a text, or the texts around its parameters. */
type Segment = string | { readonly names: readonly string[]; readonly texts: readonly string[] };

/**
 * Returns a function that finds operations by verb and path. A path belongs to an operation if it has the same number
 * of segments, equal fixed segments, and non-empty values for parameters. If several match, the operation with the
 * earlier fixed segment is the own one; if it does not have the verb, the others that match are alike. Also alike
 * are: operations that match another reading of the path and are more specific than the own one; operations whose
 * path ends with `/`, for readings below them that no other operation declares; and GET operations if none is
 * declared for HEAD.
 */
export function createOperationTable<O extends DescribedOperation>(
  operations: readonly O[],
): FindOperations<O> {
  if (operations.length === 0) return () => nothing;
  const entries = operations.map(readEntry).toSorted(byFixedSegments);
  const bySize = Map.groupBy(entries, ({ segments }) => segments.length);
  const byLooseSize = Map.groupBy(entries, ({ loose }) => loose.length);
  const below = entries.filter(({ operation, loose }) => operation.path.endsWith("/") && loose.length > 0);
  // If this holds, no other reading of a plain path is more specific than the path itself.
  const isFolded = operations.every(({ path }) => isFoldedPattern.test(path.replaceAll(/\{[^{}]+\}/g, "p")));
  const byPath = Map.groupBy(entries, ({ operation }) => operation.path);

  /** Returns the operation that the path matches literally, apart from parameters. */
  function findSpelled(verb: string, { rest }: RoutedPath): FoundOperation<O> | undefined {
    if (rest.segments.some((segment) => segment.includes("/"))) return undefined;
    const fitting = bySize.get(rest.segments.length)?.filter(({ segments }) => fits(segments, rest.segments));
    const [first] = fitting ?? [];
    const entry = fitting?.find(
      (each) => each.operation.verb === verb && first !== undefined && byFixedSegments(each, first) === 0,
    );
    return entry && foundOf(entry, rest.raw, entry.segments, true);
  }

  /** Returns the operation of the prefix route that the request is below. */
  function findOfRoute(verb: string, { rest, routes }: RoutedPath): FoundOperation<O> | undefined {
    const route = routeOf(routes);
    const onRoute = route?.endsWith("/") === true ? byPath.get(route) : undefined;
    const entry = onRoute?.find(({ operation }) => operation.verb === verb);
    return entry && foundOf(entry, rest.raw, entry.segments.slice(0, -1), false);
  }

  function findAlike(verb: string, { rest, routes }: RoutedPath): readonly FoundOperation<O>[] {
    const found: FoundOperation<O>[] = [];
    // An exact route of a stream is not below any operation.
    const isBelow = below.length > 0 && routeOf(routes)?.endsWith("/") !== false;
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

  /** Caches operations without parameters: clients request their paths again and again. */
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

/** Whether every server reads a path as it is written. */
function isPlain(raw: readonly string[]): boolean {
  return raw.every((segment) => plainSegment.test(segment));
}

const none: readonly never[] = [];
const nothing = { alike: none };

/** Whether a path is more specific than another for the same request, or has another length (in another reading). */
function saysMore(one: DescribedOperation, other: DescribedOperation): boolean {
  const [first, second] = [loosePattern(one.path), loosePattern(other.path)];
  return first.length !== second.length || compareSegments(first, second) < 0;
}

/** Whether a declared path has a fixed segment earlier than another path of the same length. */
export function isMoreParticular(path: string, other: string): boolean {
  const [first, second] = [patternOf(path), patternOf(other)];
  return first.length === second.length && compareSegments(first, second) < 0;
}

/** Returns the path of the stream route that matches a request. */
function routeOf(routes: RoutedPath["routes"]): string | undefined {
  if (routes === undefined) return undefined;
  const [route = routes.sockets[0]] = routes.byVerb.values();
  return route?.endpoint.path;
}

/** The segments of a reading, and the form of the declared paths with which one kind of server compares them. */
interface Compared {
  readonly sent: readonly string[];
  readonly segments: readonly string[];
  readonly part: "merged" | "loose";
}

/**
 * Returns a reading as strict and as lenient servers compare it: for a strict server, `/items/NEW` is not
 * `/items/new` but an item with the id `NEW`.
 */
function comparedAs(sent: readonly string[]): readonly Compared[] {
  const segments = sent.map(readSegment);
  const folded = segments.map(foldCase);
  const stripped = segments.map(foldSegment);
  // A segment of only spaces or dots becomes empty.
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

/** Returns the values between texts; `undefined` if the texts do not occur in order, or if a value is empty. */
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

/** Compares patterns: negative if the segment of `one` leaves less open at the first difference. */
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

/** Returns how much a segment leaves open: 0 nothing, 1 a part, 2 everything. */
function freedomOf(segment: Segment | undefined): number {
  if (segment === undefined) return 2;
  if (typeof segment === "string") return 0;
  return segment.texts.some((text) => text !== "") ? 1 : 2;
}
