// Reads the servers that a document declares.

import type { Span } from "../source/source.ts";
import type { ApiDocument } from "../trees/api.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../trees/document.ts";
import { entriesOf, itemsOf } from "./written.ts";

/** An entry of `servers`. */
export interface DeclaredServer {
  readonly node: DocumentNode;
  readonly url: string | undefined;
  readonly urlSpan: Span | undefined;
  readonly description: string | undefined;
  readonly variables: readonly ServerVariable[];
}

/** A variable in the address of a server. */
export interface ServerVariable {
  readonly name: string;
  readonly node: DocumentNode;
  readonly default: DocumentNode | undefined;
  /** `enum`; empty if it may be any text. */
  readonly known: readonly string[];
}

/** Returns the `servers` of a document. */
export function declaredServers({ root }: ApiDocument): readonly DeclaredServer[] {
  return itemsOf(findNode(root, "servers")).map((node) => {
    const url = findNode(node, "url");
    return {
      node,
      url: findText(url),
      urlSpan: url?.span,
      description: findText(node, "description"),
      variables: entriesOf(findNode(node, "variables")).map(readVariable),
    };
  });
}

function readVariable({ key, value }: MapEntry): ServerVariable {
  return {
    name: key,
    node: value,
    default: findNode(value, "default"),
    known: itemsOf(findNode(value, "enum")).flatMap((item) => findText(item) ?? []),
  };
}
