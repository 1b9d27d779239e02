// The verbs of endpoints against the operations of the path that declares them. A path that streams serve
// is theirs for every verb: others are answered with 405 and do not go on to the upstream.

import type { Report } from "../../../diagnostics/sink.ts";
import type { DeclaredOperation, DeclaredPath } from "../../../model/operations.ts";
import type { Route } from "../../../model/routes.ts";
import { findDeclared } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import { findField } from "../../../trees/fields.ts";

/** Reports endpoints for other verbs than their path declares, and operations that are refused. */
export function checkDeclaredVerbs(
  { served, routes }: Pick<SetModel, "served" | "routes">,
  report: Report,
): void {
  const byApi = Map.groupBy(
    routes.filter(({ transport }) => transport === "http"),
    ({ api }) => api,
  );
  for (const api of served) {
    const byPath = Map.groupBy(byApi.get(api) ?? [], (route) => findDeclared(route));
    for (const [path, own] of byPath) if (path !== undefined) checkPath(path, own, report);
  }
}

function checkPath(declared: DeclaredPath, routes: readonly Route[], report: Report): void {
  const operations = declared.operations();
  if (operations.size === 0) return;
  const strangers = routes.filter(({ verbs }) => !verbs.some((verb) => operations.has(verb)));
  for (const route of strangers) reportStranger(route, [...operations.keys()], report);
  if (strangers.length === 0) checkOperations([...operations.values()], routes, report);
}

function reportStranger(
  { component, ownPath, span, verbs }: Route,
  declared: readonly string[],
  report: Report,
): void {
  const written = findField(component.config, "allowed_verbs")?.span;
  report("GW4051", written ?? span, { path: ownPath, served: verbs, declared });
}

function checkOperations(
  operations: readonly DeclaredOperation[],
  routes: readonly Route[],
  report: Report,
): void {
  const served = [...new Set(routes.flatMap(({ verbs }) => verbs))];
  for (const { verb, verbSpan } of operations) {
    // Asking what is allowed is for CORS to answer.
    if (served.includes(verb) || verb === "OPTIONS") continue;
    const [route] = routes;
    const related = route && { span: route.span, message: "The path is served here." };
    report("GW4054", verbSpan, { verb, path: route?.ownPath ?? "", served }, related);
  }
}
