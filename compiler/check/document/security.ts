// Which security schemes a document describes, and where it names them.

import type { ApiDocument } from "../../parse/document/api.ts";
import { type DocumentNode, findNode, type MapEntry } from "../../parse/document/tree.ts";
import { declaredPaths } from "./operations.ts";

/** The entries of `components.securitySchemes`. */
export function securitySchemes({ root, references }: ApiDocument): readonly MapEntry[] {
  return entriesOf(references.find(root, "components", "securitySchemes"));
}

/** Every name in the `security` of the document and of its operations. */
export function requiredSchemes(api: ApiDocument): readonly MapEntry[] {
  const operations = declaredPaths(api).flatMap((path) => [...path.operations.values()]);
  const nodes = [api.root, ...operations.map(({ node }) => node)];
  return nodes.flatMap((node) => namesIn(findNode(node, "security")));
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
