// Parameters that operations declare against the path they belong to, for the paths that streams serve.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import { type DeclaredPath, declaredPaths } from "../../../model/operations.ts";
import type { ApiDocument } from "../../../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../../../trees/document.ts";
import { findDeclared } from "../declared.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports path parameters whose name does not stand in the path. */
export function checkDeclaredParameters(
  { served, routes }: Pick<SetFacts, "served" | "routes">,
  report: Report,
): void {
  for (const api of served) {
    const declared = declaredPaths(api);
    const own = routes.filter((route) => route.api === api);
    const described = new Set(own.map((route) => findDeclared(route, declared)));
    for (const path of described) if (path !== undefined) checkPath(api, path, report);
  }
}

function checkPath(
  { root, references }: ApiDocument,
  { path, operations }: DeclaredPath,
  report: Report,
): void {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
  const lists = [
    references.find(root, "paths", path, "parameters"),
    ...[...operations().values()].map(({ node }) => references.find(node, "parameters")),
  ];
  for (const written of lists.flatMap(itemsOf)) {
    const parameter = references.resolve(written);
    const name = findText(parameter, "name");
    const span = findNode(parameter, "name")?.span;
    if (name === undefined || span === undefined || findText(parameter, "in") !== "path") continue;
    if (!names.includes(name)) report("GW4273", span, { path, name, closest: suggest(name, names), names });
  }
}

function itemsOf(node: DocumentNode | undefined): readonly DocumentNode[] {
  return node?.kind === "list" ? node.items : [];
}
