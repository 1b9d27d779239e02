// What the OpenAPI part of a document declares: its paths and their operations.

import type { Span } from "../../source/source.ts";
import type { ApiDocument } from "./api.ts";
import type { DocumentNode } from "./tree.ts";

/** An entry of `paths`. */
export interface DeclaredPath {
  readonly path: string;
  /** By verb: `GET`. Looked up when asked for, as large documents are not read as a whole. */
  operations(): ReadonlyMap<string, DeclaredOperation>;
}

/** `get: { … }` */
export interface DeclaredOperation {
  readonly verb: string;
  readonly verbSpan: Span;
  readonly node: DocumentNode;
}

const verbKeys = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]);

/** The declared paths in the order written; none for a bare stream document. */
export function declaredPaths({ root, references }: ApiDocument): readonly DeclaredPath[] {
  const paths = references.find(root, "paths");
  if (paths?.kind !== "map") return [];
  return paths.entries.flatMap((entry) =>
    entry.key.startsWith("/")
      ? [{ path: entry.key, operations: () => operationsOf(references.resolve(entry.value), references) }]
      : [],
  );
}

function operationsOf(
  item: DocumentNode | undefined,
  references: ApiDocument["references"],
): ReadonlyMap<string, DeclaredOperation> {
  const entries = item?.kind === "map" ? item.entries : [];
  return new Map(
    entries.flatMap(({ key, keySpan, value }) => {
      const node = verbKeys.has(key) ? references.resolve(value) : undefined;
      const verb = key.toUpperCase();
      return node === undefined ? [] : [[verb, { verb, verbSpan: keySpan, node }] as const];
    }),
  );
}
