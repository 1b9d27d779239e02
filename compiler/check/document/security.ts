// Which security schemes a document describes, and where it names them.

import type { ApiDocument } from "../../parse/document/api.ts";
import { type DocumentNode, findNode, type MapEntry } from "../../parse/document/tree.ts";
import { type DeclaredPath, declaredPaths, findDeclared } from "./operations.ts";
import { collectRoutes } from "./routes.ts";

/** The entries of `components.securitySchemes`. */
export function securitySchemes({ root, references }: ApiDocument): readonly MapEntry[] {
  return entriesOf(references.find(root, "components", "securitySchemes"));
}

/** In documents longer than this, operations that no stream serves are not looked into. */
const longText = 1_000_000;

/** Every name in the `security` of the document and of its operations. */
export function requiredSchemes(api: ApiDocument): readonly MapEntry[] {
  const operations = operationsToRead(api).flatMap((path) => [...path.operations().values()]);
  const nodes = [api.root, ...operations.map(({ node }) => node)];
  return nodes.flatMap((node) => namesIn(findNode(node, "security")));
}

function operationsToRead(api: ApiDocument): readonly DeclaredPath[] {
  const declared = declaredPaths(api);
  if (api.file.text.length <= longText) return declared;
  return [...new Set(collectRoutes(api).flatMap((route) => findDeclared(route, declared) ?? []))];
}

/** The names in a list of security requirements. */
export function namesIn(security: DocumentNode | undefined): readonly MapEntry[] {
  return security?.kind === "list" ? security.items.flatMap(entriesOf) : [];
}

/** The entries of `x-gw-api-gateway.server.authentication.securitySchemes`. */
export function configuredSchemes({ gateway }: ApiDocument): readonly MapEntry[] {
  return entriesOf(findNode(gateway, "server", "authentication", "securitySchemes"));
}

function entriesOf(node: DocumentNode | undefined): readonly MapEntry[] {
  return node?.kind === "map" ? node.entries : [];
}
