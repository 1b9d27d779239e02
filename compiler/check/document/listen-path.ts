// Where APIs are mounted, and which of them at one place.

import type { ApiDocument } from "../../parse/document/api.ts";
import { findNode, findText } from "../../parse/document/tree.ts";
import type { Span } from "../../source/source.ts";

/**
 * Where an API is mounted, with `/` at both ends: `x-gw-api-gateway.server.listenPath.value`, else the
 * path of `servers[0].url`, else `/`.
 */
export function listenPathOf(api: ApiDocument): string {
  const written = findText(api.gateway, "server", "listenPath", "value");
  const inner = (written ?? serverPath(api)).replace(/^\/+|\/+$/g, "");
  return inner === "" ? "/" : `/${inner}/`;
}

/** Where the listen path was written; `undefined` where nobody wrote one. */
export function listenPathSpan(api: ApiDocument): Span | undefined {
  const written = findNode(api.gateway, "server", "listenPath", "value");
  return (written ?? findNode(api.root, "servers", "0", "url"))?.span;
}

/**
 * Whether two APIs cannot be told apart by their listen path. Documents that name none, such as bare
 * stream documents, may share `/`: their routes are compared one by one.
 */
export function isListenPathClash(first: ApiDocument, second: ApiDocument): boolean {
  const written = listenPathSpan(first) ?? listenPathSpan(second);
  return first !== second && written !== undefined && listenPathOf(first) === listenPathOf(second);
}

function serverPath(api: ApiDocument): string {
  const url = findText(api.root, "servers", "0", "url");
  // The host is never looked at: a relative URL only needs one to be read.
  const path = url === undefined ? "/" : (URL.parse(url, "http://gateway.invalid/")?.pathname ?? "/");
  return path.includes("%7B") || path.includes("{") ? "/" : path;
}
