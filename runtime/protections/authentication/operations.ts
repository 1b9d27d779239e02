// Operations that ask for something else than the rest of their API.

import type { FoundApi } from "../../router.ts";
import type { Requirement } from "./decide.ts";

/** What an operation asks for. */
export interface OperationSecurity {
  /** As documents write it, below the listen path: `/orders/{id}`. */
  readonly path: string;
  /** In capitals. */
  readonly verb: string;
  readonly requirements: readonly Requirement[];
}

/** Segments, of which `undefined` stands for a parameter. */
type Pattern = readonly (string | undefined)[];

interface Entry extends OperationSecurity {
  /** By which it is found. */
  readonly segments: Pattern;
  /** As servers might read it that care neither for case nor for further slashes. */
  readonly loose: Pattern;
}

/** Lists of requirements, each of which has to be satisfied by one of its own. */
export type FindRequirements = (verb: string, found: Found) => readonly (readonly Requirement[])[];

type Found = Pick<FoundApi<unknown>, "rest" | "findRoutes">;

/**
 * What requests have to satisfy: what their operation asks for, or `general`. A path is that of an operation when it has
 * its segments, no more and no fewer, fixed ones as they are and anything but nothing where there are parameters; of
 * several that fit, the one with the earlier fixed segment is meant. A path that might be read as that of another one by
 * what stands behind the gateway (other case, further slashes, encoded ones, parameters of segments), has to satisfy
 * both, and so has one that a stream has a route for which is more particular than the operation.
 */
export function createOperationTable(
  operations: readonly OperationSecurity[],
  general: readonly Requirement[],
): FindRequirements {
  const always = [general];
  if (operations.length === 0) return () => always;
  const entries = operations.map(readEntry);
  const exact = createTable(entries);
  const loose = createTable(entries.map((each) => ({ ...each, segments: each.loose })));
  return (verb, found) => {
    const { segments } = found.rest;
    const isPlain = !segments.some((segment) => segment.includes("/"));
    const [own] = isPlain ? exact(verb, segments) : [];
    if (own !== undefined && isFixed(own)) return [own.requirements];
    const verbs = verb === "HEAD" && own === undefined ? [verb, "GET"] : [verb];
    const alike = readingsOf(segments)
      .flatMap((reading) => verbs.flatMap((each) => loose(each, reading)))
      .filter((each) => own === undefined || fitsBetter(each.loose, own.loose));
    const isOwn = own !== undefined && !isOfStream(found, own);
    const counting = [...(own === undefined ? [] : [own]), ...alike].map(({ requirements }) => requirements);
    return [...new Set([...(isOwn ? [] : [general]), ...counting])];
  };
}

/** Whether it has no parameter, which could take what another operation spells. */
function isFixed({ segments }: Entry): boolean {
  return !segments.includes(undefined);
}

/** Whether a pattern says more of a path that fits both, or is one of another length, as another reading has it. */
function fitsBetter(one: Pattern, other: Pattern): boolean {
  return one.length !== other.length || byFixedSegments(one, other) < 0;
}

/** What servers might make of segments that the gateway takes as they are. */
function readingsOf(segments: readonly string[]): readonly (readonly string[])[] {
  const kept = segments.map((segment) => segment.toLowerCase()).filter((segment) => segment !== "");
  const divided = kept.some((segment) => segment.includes("/")) ? [looseSegments(kept)] : [];
  const readings = [kept, ...divided];
  // `/admin;a=b`: parameters of a segment (RFC 3986, section 3.3), which some servers leave out of the path.
  const bare = readings
    .filter((reading) => reading.some((segment) => segment.includes(";")))
    .map((reading) => looseSegments(reading.map((segment) => segment.replace(/;.*$/, ""))));
  return [...readings, ...bare];
}

/** Whether a stream has a route for the path that fits better than the operation, which then describes another one. */
function isOfStream({ findRoutes }: Found, { segments }: Entry): boolean {
  const routes = findRoutes()?.value;
  const [route] = routes === undefined ? [] : [...routes.byVerb.values(), ...routes.sockets];
  if (route === undefined) return false;
  const ofRoute = readPattern(route.endpoint.path.replace(/^\//, "").split("/"));
  return ofRoute.length === segments.length && fitsBetter(ofRoute, segments);
}

/** Segments as a server might read them that does not care for case and slashes. */
function looseSegments(segments: readonly string[]): readonly string[] {
  return segments.flatMap((segment) => segment.toLowerCase().split("/")).filter((segment) => segment !== "");
}

function readEntry(operation: OperationSecurity): Entry {
  const segments = operation.path.slice(1).split("/");
  return { ...operation, segments: readPattern(segments), loose: readPattern(looseSegments(segments)) };
}

function readPattern(segments: readonly string[]): Pattern {
  return segments.map((segment) => (/^\{[^{}]+\}$/.test(segment) ? undefined : segment));
}

/** The operations of the most particular path that fits. */
function createTable(
  entries: readonly Entry[],
): (verb: string, segments: readonly string[]) => readonly Entry[] {
  const bySize = Map.groupBy(
    entries.toSorted((one, other) => byFixedSegments(one.segments, other.segments)),
    ({ segments }) => segments.length,
  );
  return (verb, segments) => {
    const fitting = bySize.get(segments.length)?.filter((entry) => fits(entry, segments)) ?? [];
    const [first] = fitting;
    return fitting.filter(
      (entry) =>
        entry.verb === verb && first !== undefined && byFixedSegments(first.segments, entry.segments) === 0,
    );
  };
}

function fits({ segments }: Entry, given: readonly string[]): boolean {
  return segments.every((segment, index) =>
    segment === undefined ? given[index] !== "" : segment === given[index],
  );
}

/** Negative where the first difference is a segment that is fixed in `one` and a parameter in `other`. */
function byFixedSegments(one: Pattern, other: Pattern): number {
  for (const [index, segment] of one.entries()) {
    const isFixed = segment !== undefined;
    const isOtherFixed = other[index] !== undefined;
    if (isFixed !== isOtherFixed) return isFixed ? -1 : 1;
  }
  return 0;
}
