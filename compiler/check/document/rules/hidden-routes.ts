// Endpoints below the listen path of another API: the longest listen path answers for all below it.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../parse/document/api.ts";
import { listenPathOf } from "../../../parse/document/listen-path.ts";
import type { SetFacts } from "../set-facts.ts";

/** The listen paths of a set, segment by segment. */
interface ListenPaths {
  readonly exact: Map<string, ListenPaths>;
  parameter: ListenPaths | undefined;
  /** The APIs that listen here. */
  readonly apis: ApiDocument[];
}

/** Reports each route that requests never get to, as they go to another API. */
export function checkHiddenRoutes(
  { served, routes }: Pick<SetFacts, "served" | "routes">,
  report: Report,
): void {
  const tree = createListenPaths();
  for (const api of served) placeFor(segmentsOf(listenPathOf(api)).slice(0, -1), tree).apis.push(api);
  for (const { api, path, span } of routes) {
    const owners = findOwners(tree, segmentsOf(path), 0);
    const [owner] = owners;
    if (owner === undefined || owners.includes(api)) continue;
    report("GW4050", span, { path, api: owner.id, listenPath: listenPathOf(owner) });
  }
}

/** The order of the gateway: an exact segment before a parameter, the longest path before shorter ones. */
function findOwners(at: ListenPaths, segments: readonly string[], position: number): readonly ApiDocument[] {
  const segment = segments[position];
  if (segment === undefined) return at.apis;
  // A parameter of the route's own path is no exact segment of any listen path.
  for (const next of [at.exact.get(segment), segment === "" ? undefined : at.parameter]) {
    const found = next === undefined ? [] : findOwners(next, segments, position + 1);
    if (found.length > 0) return found;
  }
  return at.apis;
}

function placeFor(segments: readonly string[], tree: ListenPaths): ListenPaths {
  let at = tree;
  for (const segment of segments) {
    const isParameter = segment.startsWith("{");
    const next = (isParameter ? at.parameter : at.exact.get(segment)) ?? createListenPaths();
    if (isParameter) at.parameter = next;
    else at.exact.set(segment, next);
    at = next;
  }
  return at;
}

function segmentsOf(path: string): readonly string[] {
  return path.slice(1).split("/");
}

function createListenPaths(): ListenPaths {
  return { exact: new Map(), parameter: undefined, apis: [] };
}
