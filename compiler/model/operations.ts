// What the OpenAPI part of a document declares: its paths and their operations.

import type { Span } from "../source/source.ts";
import type { ApiDocument } from "../trees/api.ts";
import { type DocumentNode, findNode } from "../trees/document.ts";
import { listenPathOf } from "./listen-path.ts";
import { mayBeTakenFor } from "./path-overlap.ts";

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

/** An operation by what requests say of it. */
export interface OperationPlace {
  /** Below the listen path. */
  readonly path: string;
  readonly verb: string;
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

/**
 * A declared path below the listen path. Documents without `servers` may write the listen path in front of their paths, so
 * both readings count.
 */
export function pathsBelow(path: string, api: ApiDocument): readonly string[] {
  const listenPath = listenPathOf(api);
  const isBelow =
    listenPath !== "/" && path.startsWith(listenPath) && findNode(api.root, "servers") === undefined;
  return isBelow ? [path, path.slice(listenPath.length - 1)] : [path];
}

/**
 * Declared operations that are none of `taken`, but whose requests would else be taken for those of one: `/rooms/new`
 * beside `/rooms/{id}`.
 */
export function operationsBeside(
  taken: readonly OperationPlace[],
  api: ApiDocument,
): readonly OperationPlace[] {
  const own = Map.groupBy(taken, ({ path }) => path);
  const paths = [...own.keys()];
  return declaredPaths(api)
    .flatMap((declared) => pathsBelow(declared.path, api).map((path) => ({ path, declared })))
    .filter(({ path }) => paths.some((each) => mayBeTakenFor(path, each)))
    .flatMap(({ path, declared }) => [...declared.operations().keys()].map((verb) => ({ path, verb })))
    .filter(({ path, verb }) => own.get(path)?.some((each) => each.verb === verb) !== true);
}
