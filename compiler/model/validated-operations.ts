// Which operations of a document have their requests validated, where `validateRequest` says so for all or for one.

import type { Span } from "../source/source.ts";
import type { ApiDocument } from "../trees/api.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../trees/document.ts";
import { declaredPaths, type OperationPlace, pathsBelow } from "./operations.ts";
import { isSwitchedOff } from "./protection-blocks.ts";

/** An operation whose requests are validated. */
export interface ValidatedOperation extends OperationPlace {
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
  return declaredPaths(api).flatMap(({ path, operations }) =>
    [...operations().values()].flatMap(({ verb, verbSpan, node }) => {
      const id = findText(node, "operationId");
      const block = (id === undefined ? undefined : forOne.get(id)) ?? forAll;
      if (block === undefined || isSwitchedOff(block)) return [];
      const status = scalarOf(block, "errorResponseCode");
      const operation = {
        verb,
        name: id ?? `${verb} ${path}`,
        node,
        parameters: parametersOf(api, path, node),
        status: typeof status === "number" ? status : 422,
        verbSpan,
      };
      return pathsBelow(path, api).map((below) => ({ ...operation, path: below }));
    }),
  );
}

function scalarOf(node: DocumentNode | undefined, key: string): unknown {
  const found = findNode(node, key);
  return found?.kind === "scalar" ? found.value : undefined;
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
