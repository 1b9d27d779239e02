// Which operations of a document have their requests validated, where `validateRequest` says so for all or for one.

import type { Span } from "../../source/source.ts";
import type { ApiDocument } from "./api.ts";
import { listenPathOf } from "./listen-path.ts";
import { declaredPaths } from "./operations.ts";
import { overlap } from "./path-overlap.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "./tree.ts";

/** An operation whose requests are validated. */
export interface ValidatedOperation {
  readonly verb: string;
  /** Below the listen path. */
  readonly path: string;
  /** What people call it: its `operationId`, else its verb and path. */
  readonly name: string;
  readonly node: DocumentNode;
  /** Its own parameters and those of its path that it does not say anew, resolved. */
  readonly parameters: readonly DocumentNode[];
  /** Of refusals. */
  readonly status: number;
  readonly verbSpan: Span;
}

/** Entries of `middleware.operations`, by the id of an operation. */
export function operationSettings({ gateway }: ApiDocument): readonly MapEntry[] {
  const operations = findNode(gateway, "middleware", "operations");
  return operations?.kind === "map" ? operations.entries : [];
}

/** The ids of the operations of a document. */
export function operationIds(api: ApiDocument): readonly string[] {
  return declaredPaths(api).flatMap(({ operations }) =>
    [...operations().values()].flatMap(({ node }) => findText(node, "operationId") ?? []),
  );
}

/** The operations to validate, in the order written; what is said for one counts before what is said for all. */
export function validatedOperations(api: ApiDocument): readonly ValidatedOperation[] {
  const forAll = findNode(api.gateway, "middleware", "global", "validateRequest");
  const forOne = new Map(
    operationSettings(api).map(({ key, value }) => [key, findNode(value, "validateRequest")] as const),
  );
  // Large documents are not gone through for nothing.
  if (forAll === undefined && forOne.size === 0) return [];
  const listenPath = listenPathOf(api);
  return declaredPaths(api).flatMap(({ path, operations }) =>
    [...operations().values()].flatMap(({ verb, verbSpan, node }) => {
      const id = findText(node, "operationId");
      const block = (id === undefined ? undefined : forOne.get(id)) ?? forAll;
      if (scalarOf(block, "enabled") !== true) return [];
      const status = scalarOf(block, "errorResponseCode");
      const operation = {
        verb,
        path: belowListenPath(path, listenPath),
        name: id ?? `${verb} ${path}`,
        node,
        parameters: parametersOf(api, path, node),
        status: typeof status === "number" ? status : 422,
        verbSpan,
      };
      return [operation];
    }),
  );
}

/**
 * Declared paths without an operation among `validated` whose requests would else be taken for those of one of these:
 * `/rooms/new` beside `/rooms/{id}`.
 */
export function passedPaths(api: ApiDocument, validated: readonly ValidatedOperation[]): readonly string[] {
  const listenPath = listenPathOf(api);
  const taken = new Set(validated.map(({ path }) => path));
  const patterns = [...taken].filter((path) => path.includes("{")).map((path) => path.split("/"));
  return declaredPaths(api)
    .map(({ path }) => belowListenPath(path, listenPath))
    .filter((path) => !taken.has(path) && patterns.some((pattern) => overlap(path.split("/"), pattern)));
}

function scalarOf(node: DocumentNode | undefined, key: string): unknown {
  const found = findNode(node, key);
  return found?.kind === "scalar" ? found.value : undefined;
}

/** Documents without `servers` may write the listen path in front of their paths. */
function belowListenPath(path: string, listenPath: string): string {
  return path.startsWith(listenPath) ? `/${path.slice(listenPath.length)}` : path;
}

function parametersOf(
  { references, root }: ApiDocument,
  path: string,
  operation: DocumentNode,
): readonly DocumentNode[] {
  const lists = [
    references.find(root, "paths", path, "parameters"),
    references.find(operation, "parameters"),
  ];
  const known = new Map<string, DocumentNode>();
  for (const item of lists.flatMap((list) => (list?.kind === "list" ? list.items : []))) {
    const parameter = references.resolve(item);
    const key = `${findText(parameter, "in")} ${findText(parameter, "name")}`;
    if (parameter !== undefined) known.set(key, parameter);
  }
  return [...known.values()];
}
