// Two endpoints that serve one route: within a stream, and across all streams of a set.

import type { Report } from "../../../diagnostics/sink.ts";
import { findShared, type Route } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import type { Span } from "../../../source/source.ts";

/** Routes with as many segments, so that comparing all of a set stays cheap. */
interface Earlier {
  readonly all: Route[];
  /** Those with path parameters: the only ones that can meet a different text. */
  readonly open: Route[];
  readonly byPath: Map<string, Route[]>;
}

/** Reports each endpoint that meets an earlier one, where neither of the two is the more exact one. */
export function checkRouteCollisions({ routes }: Pick<SetModel, "routes">, report: Report): void {
  const buckets = new Map<string, Earlier>();
  const reported = new Set<Span>();
  for (const route of routes) {
    const bucket = `${route.transport} ${route.path.split("/").length}`;
    const earlier = buckets.get(bucket) ?? { all: [], open: [], byPath: new Map() };
    buckets.set(bucket, earlier);
    const other = candidates(earlier, route).find((each) => meets(each, route));
    if (other !== undefined && !reported.has(route.span)) {
      reportPair(other, route, report);
      reported.add(route.span);
    }
    remember(earlier, route);
  }
}

function candidates(earlier: Earlier, route: Route): readonly Route[] {
  if (isOpen(route)) return earlier.all;
  return [...(earlier.byPath.get(route.path) ?? []), ...earlier.open];
}

function remember(earlier: Earlier, route: Route): void {
  earlier.all.push(route);
  if (isOpen(route)) earlier.open.push(route);
  const same = earlier.byPath.get(route.path);
  if (same === undefined) earlier.byPath.set(route.path, [route]);
  else same.push(route);
}

function isOpen({ path }: Route): boolean {
  return path.includes("{");
}

function meets(first: Route, second: Route): boolean {
  if (findShared(first, second) === undefined) return false;
  // Of different listen paths the longer one has what both spell: the other route is hidden.
  const [one, other] = [first.place, second.place];
  if (one.path !== other.path || one.host !== other.host || one.version !== other.version) return false;
  // Two versions of one name are reported as that.
  if (one.version !== undefined && first.api !== second.api) return false;
  // Two APIs at one listen path are reported as that.
  return (
    !isOneSocket(first, second) &&
    (first.api === second.api || first.api.mount.shape !== second.api.mount.shape)
  );
}

/** A socket may carry both the input and the output of a stream, and one output may name it twice. */
function isOneSocket(first: Route, second: Route): boolean {
  if (first.transport !== "websocket" || first.stream !== second.stream) return false;
  return first.component.role !== second.component.role || first.component === second.component;
}

function reportPair(other: Route, route: Route, report: Report): void {
  const shared = findShared(other, route) ?? "";
  const related = { span: other.span, message: "The other one is here." };
  if (other.stream === route.stream) {
    const details = { route: shared, first: nameOf(other), second: nameOf(route) };
    report("GW4031", route.span, details, related);
    return;
  }
  const isOneApi = other.api === route.api;
  const stream = isOneApi ? route.stream.name : streamOf(route);
  report(
    "GW4030",
    route.span,
    { route: shared, stream, other: isOneApi ? other.stream.name : streamOf(other) },
    related,
  );
}

/** Streams of different APIs may have one name. */
function streamOf({ api, stream }: Route): string {
  return `${api.id}.${stream.name}`;
}

function nameOf({ component, field }: Route): string {
  return `${component.role}.${field}`;
}
