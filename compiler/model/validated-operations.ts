// Determines which operations of a document have their requests validated, by `validateRequest` for all or for one.

import type { Span } from "../source/source.ts";
import { type DocumentNode, findNode } from "../trees/document.ts";
import {
  type DeclaredApi,
  type DeclaredOperation,
  type DeclaredParameter,
  type DeclaredPath,
  type OperationPlace,
  pathsBelow,
} from "./operations.ts";
import { booleanOf, entriesOf, type PartReader } from "./written.ts";

/** The request validation that a document configures. */
export interface RequestValidation {
  /** The place where it is written. */
  readonly span: Span | undefined;
  /** The block for all operations, unless it is disabled. */
  readonly forAll: DocumentNode | undefined;
  /** The entries of `middleware.operations` with request validation, and empty ones, by the id of an operation. */
  readonly named: readonly { readonly id: string; readonly span: Span }[];
  /** The operations to validate, in the order written. */
  readonly operations: readonly OperationToValidate[];
}

/** An operation whose requests are validated. */
export interface OperationToValidate extends OperationPlace {
  /** The name for messages: its `operationId`, otherwise its verb and path. */
  readonly name: string;
  readonly node: DocumentNode;
  /** Its own parameters and those of its path that it does not override, resolved. */
  readonly parameters: readonly DeclaredParameter[];
  /** The status of responses that refuse a request. */
  readonly status: number;
  readonly verbSpan: Span;
}

/** Reads the request validation. Settings for one operation take precedence over settings for all. */
export function readRequestValidation(api: DeclaredApi, gateway: PartReader): RequestValidation {
  const named = entriesOf(gateway.value("middleware", "operations")?.node);
  const forAll = gateway.block("middleware", "global", "validateRequest")?.node;
  const forOne = new Map(named.map(({ key, value }) => [key, findNode(value, "validateRequest")] as const));
  const blockOf = (id: string | undefined) => (id === undefined ? undefined : forOne.get(id)) ?? forAll;
  return {
    span: gateway.value("middleware")?.node.span,
    forAll: isEnabled(forAll) ? forAll : undefined,
    // In others every field is reported.
    named: named
      .filter(({ key, value }) => forOne.get(key) !== undefined || entriesOf(value).length === 0)
      .map(({ key, keySpan }) => ({ id: key, span: keySpan })),
    // Large documents are not searched without need.
    operations: forAll === undefined && forOne.size === 0 ? [] : findValidated(api, blockOf),
  };
}

function isEnabled(block: DocumentNode | undefined): boolean {
  return booleanOf(findNode(block, "enabled")) !== false;
}

function findValidated(
  api: DeclaredApi,
  blockOf: (id: string | undefined) => DocumentNode | undefined,
): readonly OperationToValidate[] {
  return api.paths.flatMap((path) =>
    [...path.operations().values()].flatMap((operation) => {
      const { verb, verbSpan, node } = operation;
      const id = operation.id();
      const block = blockOf(id);
      if (block === undefined || !isEnabled(block)) return [];
      const status = findNode(block, "errorResponseCode");
      const validated = {
        verb,
        name: id ?? `${verb} ${path.path}`,
        node,
        parameters: parametersOf(path, operation),
        status: status?.kind === "scalar" && typeof status.value === "number" ? status.value : 422,
        verbSpan,
      };
      return pathsBelow(path.path, api).map((below) => ({ ...validated, path: below }));
    }),
  );
}

/** Returns how bodies of a media type are read; `undefined` if no schema validates them. */
export function bodyFormatOf(type: string): "json" | "form" | "text" | undefined {
  if (/^[\w.-]+\/(?:[\w.+-]+\+)?json$/.test(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  return type.startsWith("text/") ? "text" : undefined;
}

/** Returns the media type that a key of `content` names, without its parameters. */
export function mediaTypeOf(key: string): string {
  return (key.split(";", 1)[0] ?? "").trim().toLowerCase();
}

function parametersOf(path: DeclaredPath, operation: DeclaredOperation): readonly DeclaredParameter[] {
  const all = [...path.parameters(), ...operation.parameters()];
  return [...new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}
