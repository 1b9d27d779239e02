// Operations that ask for something else than the rest of their API.

import type { RequestPath } from "../../request-path.ts";
import type { Requirement } from "./decide.ts";

/** What an operation asks for. */
export interface OperationSecurity {
  /** As documents write it, below the listen path: `/orders/{id}`. */
  readonly path: string;
  /** In capitals. */
  readonly verb: string;
  readonly requirements: readonly Requirement[];
}

interface Entry extends OperationSecurity {
  /** `undefined` stands for a parameter. */
  readonly segments: readonly (string | undefined)[];
}

/** Lists of requirements, each of which has to be satisfied by one of its own. */
export type FindRequirements = (verb: string, path: RequestPath) => readonly (readonly Requirement[])[];

/**
 * What requests have to satisfy: what their operation asks for, or `general`. A path is that of an operation when it has
 * its segments, no more and no fewer, fixed ones as they are and anything but nothing where there are parameters; of
 * several that fit, the one with the earlier fixed segment is meant. A path that is that of none, but might be read as
 * one by what stands behind the gateway (other case, further slashes, encoded ones), has to satisfy both.
 */
export function createOperationTable(
  operations: readonly OperationSecurity[],
  general: readonly Requirement[],
): FindRequirements {
  const always = [general];
  if (operations.length === 0) return () => always;
  const exact = createTable(operations.map((each) => readEntry(each, each.path.slice(1).split("/"))));
  const loose = createTable(operations.map((each) => readEntry(each, looseSegments(each.path.split("/")))));
  return (verb, { segments }) => {
    const isPlain = !segments.some((segment) => segment.includes("/"));
    const [own] = isPlain ? exact(verb, segments) : [];
    if (own !== undefined) return [own.requirements];
    const kept = segments.map((segment) => segment.toLowerCase()).filter((segment) => segment !== "");
    const readings = isPlain ? [kept] : [kept, looseSegments(segments)];
    const verbs = verb === "HEAD" ? [verb, "GET"] : [verb];
    const alike = readings.flatMap((reading) => verbs.flatMap((each) => loose(each, reading)));
    return [general, ...new Set(alike.map(({ requirements }) => requirements))];
  };
}

/** Segments as a server might read them that does not care for case and slashes. */
function looseSegments(segments: readonly string[]): readonly string[] {
  return segments.flatMap((segment) => segment.toLowerCase().split("/")).filter((segment) => segment !== "");
}

function readEntry(operation: OperationSecurity, segments: readonly string[]): Entry {
  return {
    ...operation,
    segments: segments.map((segment) => (/^\{[^{}]+\}$/.test(segment) ? undefined : segment)),
  };
}

/** The operations of the most particular path that fits. */
function createTable(
  entries: readonly Entry[],
): (verb: string, segments: readonly string[]) => readonly Entry[] {
  const bySize = Map.groupBy(entries.toSorted(byFixedSegments), ({ segments }) => segments.length);
  return (verb, segments) => {
    const fitting = bySize.get(segments.length)?.filter((entry) => fits(entry, segments)) ?? [];
    const [first] = fitting;
    return fitting.filter(
      (entry) => entry.verb === verb && first !== undefined && byFixedSegments(first, entry) === 0,
    );
  };
}

function fits({ segments }: Entry, given: readonly string[]): boolean {
  return segments.every((segment, index) =>
    segment === undefined ? given[index] !== "" : segment === given[index],
  );
}

/** Negative where the first difference is a segment that is fixed in `one` and a parameter in `other`. */
function byFixedSegments(one: Entry, other: Entry): number {
  for (const [index, segment] of one.segments.entries()) {
    const isFixed = segment !== undefined;
    const isOtherFixed = other.segments[index] !== undefined;
    if (isFixed !== isOtherFixed) return isFixed ? -1 : 1;
  }
  return 0;
}
