// Endpoints against the `paths` of their document: those that are nearly declared, or not at all. A document that
// declares no operation describes nothing to callers, so nothing is missing in it.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { DeclaredPath } from "../../../model/operations.ts";
import type { Route } from "../../../model/routes.ts";
import { findDeclared } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import { colonSegment, obstacleIn } from "../obstacles.ts";

/** Reports endpoints for requests that no path declares, where the document declares any operation. */
export function checkDeclaredPaths(
  { served, routes }: Pick<SetModel, "served" | "routes">,
  report: Report,
): void {
  const byApi = Map.groupBy(routes, ({ api }) => api);
  for (const api of served) {
    const declared = api.paths;
    // The first path of a large document has an operation as a rule, and the others are not looked at.
    if (!declared.some((path) => path.operations().size > 0)) continue;
    const own = byApi.get(api) ?? [];
    const paths = declared.map(({ path }) => path);
    const unserved = api.upstream.url !== undefined ? [] : pathsWithout(own, declared);
    for (const route of own) {
      // OpenAPI has no way to declare a socket.
      if (route.transport !== "http" || findDeclared(route) !== undefined) continue;
      // Of a path that cannot be, or was not meant, more was said already.
      if (obstacleIn(route.ownPath) !== undefined || colonSegment(route.ownPath) !== undefined) continue;
      reportUndeclared(route, { paths, unserved }, report);
    }
  }
}

/** What a document declares, and what of it nothing serves. */
interface Paths {
  readonly paths: readonly string[];
  readonly unserved: readonly string[];
}

/** The declared paths that no route serves. */
function pathsWithout(routes: readonly Route[], declared: readonly DeclaredPath[]): readonly string[] {
  const served = new Set(routes.map((route) => findDeclared(route)));
  return declared.filter((each) => !served.has(each)).map(({ path }) => path);
}

function reportUndeclared(route: Route, { paths: declared, unserved }: Paths, report: Report): void {
  const { api, ownPath, span } = route;
  // An endpoint that serves all below it is described by what is below it.
  if (ownPath.endsWith("/") && declared.some((path) => path.startsWith(ownPath))) return;
  const almost = declared.find((path) => flatten(path) === flatten(ownPath));
  if (almost !== undefined) {
    const difference = differenceOf(ownPath, almost);
    report("GW4052", span, { path: ownPath, declared: almost, difference });
    return;
  }
  // Nobody answers at the path that is nearly this one: it was meant.
  const meant = suggest(ownPath, unserved);
  if (meant !== undefined) {
    report("GW4052", span, { path: ownPath, declared: meant, difference: "spelling" });
    return;
  }
  const listenPath = api.listenPath;
  const withoutListenPath = ownPath.startsWith(listenPath) ? ownPath.slice(listenPath.length - 1) : undefined;
  const closest = declared.find((path) => path === withoutListenPath) ?? suggest(ownPath, declared);
  report("GW4053", span, { path: ownPath, closest });
}

/** A path without what is easily overlooked: case, a last slash, names of parameters. */
function flatten(path: string): string {
  return withoutNames(path).toLowerCase().replace(/\/$/, "");
}

function withoutNames(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}");
}

function differenceOf(path: string, declared: string): string {
  if (path.endsWith("/") !== declared.endsWith("/")) return "the trailing slash";
  return withoutNames(path) === withoutNames(declared) ? "the name of a parameter" : "letter case";
}
