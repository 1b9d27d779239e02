// Parameters that operations declare against the path they belong to, for the paths that streams serve.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { DeclaredPath } from "../../../model/operations.ts";
import { findDeclared } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";

/** Reports path parameters whose name does not stand in the path. */
export function checkDeclaredParameters(
  { served, routes }: Pick<SetModel, "served" | "routes">,
  report: Report,
): void {
  for (const api of served) {
    const own = routes.filter((route) => route.api === api);
    const described = new Set(own.map((route) => findDeclared(route)));
    for (const path of described) if (path !== undefined) checkPath(path, report);
  }
}

function checkPath(declared: DeclaredPath, report: Report): void {
  const { path } = declared;
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
  const operations = [...declared.operations().values()];
  for (const parameter of [declared, ...operations].flatMap((holder) => holder.parameters())) {
    const { name, nameSpan } = parameter;
    if (name === undefined || nameSpan === undefined || parameter.in !== "path") continue;
    if (!names.includes(name))
      report("GW4273", nameSpan, { path, name, closest: suggest(name, names), names });
  }
}
