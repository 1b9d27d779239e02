// Endpoints against the `paths` of their document: those that are nearly declared, or not at all. A document that
// declares no operation describes nothing to callers, so nothing is missing in it.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import { listenPathOf } from "../../../parse/document/listen-path.ts";
import { declaredPaths, findDeclared } from "../operations.ts";
import type { Route } from "../routes.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports endpoints for requests that no path declares, where the document declares any operation. */
export function checkDeclaredPaths(
  { served, routes }: Pick<SetFacts, "served" | "routes">,
  report: Report,
): void {
  const byApi = Map.groupBy(routes, ({ api }) => api);
  for (const api of served) {
    const declared = declaredPaths(api);
    // The first path of a large document has an operation as a rule, and the others are not looked at.
    if (!declared.some((path) => path.operations().size > 0)) continue;
    const paths = declared.map(({ path }) => path);
    for (const route of byApi.get(api) ?? []) {
      // OpenAPI has no way to declare a socket.
      if (route.transport === "http" && findDeclared(route, declared) === undefined)
        reportUndeclared(route, paths, report);
    }
  }
}

function reportUndeclared({ api, ownPath, span }: Route, declared: readonly string[], report: Report): void {
  // An endpoint that serves all below it is described by what is below it.
  if (ownPath.endsWith("/") && declared.some((path) => path.startsWith(ownPath))) return;
  const almost = declared.find((path) => flatten(path) === flatten(ownPath));
  if (almost !== undefined) {
    const difference = differenceOf(ownPath, almost);
    report("GW4052", span, { path: ownPath, declared: almost, difference });
    return;
  }
  const listenPath = listenPathOf(api);
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
  if (path.endsWith("/") !== declared.endsWith("/")) return "its last slash";
  return withoutNames(path) === withoutNames(declared) ? "a parameter's name" : "upper and lower case";
}
