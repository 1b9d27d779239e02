// Where a document names security schemes.

import { type DeclaredPath, declaredPaths } from "../../model/operations.ts";
import { asksWhoCalls, namesIn } from "../../model/security.ts";
import type { ApiDocument } from "../../trees/api.ts";
import { findNode, type MapEntry } from "../../trees/document.ts";
import { findDeclared } from "./declared.ts";
import { collectRoutes } from "./routes.ts";

/** In documents longer than this, operations that no stream serves are not looked into, unless the gateway asks. */
const longText = 1_000_000;

/** Every name in the `security` of the document and of its operations. */
export function requiredSchemes(api: ApiDocument): readonly MapEntry[] {
  const operations = operationsToRead(api).flatMap((path) => [...path.operations().values()]);
  const nodes = [api.root, ...operations.map(({ node }) => node)];
  return nodes.flatMap((node) => namesIn(findNode(node, "security")));
}

function operationsToRead(api: ApiDocument): readonly DeclaredPath[] {
  const declared = declaredPaths(api);
  if (api.file.text.length <= longText || asksWhoCalls(api)) return declared;
  return [...new Set(collectRoutes(api).flatMap((route) => findDeclared(route, declared) ?? []))];
}
