// Where an API is mounted.

import type { Span } from "../source/source.ts";
import type { ApiDocument } from "../trees/api.ts";
import { findNode, findText } from "../trees/document.ts";

/**
 * The listen path of an API, with `/` at both ends: `x-gw-api-gateway.server.listenPath.value`, else the
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

function serverPath(api: ApiDocument): string {
  const url = findText(api.root, "servers", "0", "url");
  // The host is never looked at: a relative URL only needs one to be read. Server variables (`{stage}`)
  // have no value here, so a path that holds one says nothing.
  const path = url === undefined ? "/" : (URL.parse(url, "http://gateway.invalid/")?.pathname ?? "/");
  return path.includes("%7B") || path.includes("{") ? "/" : path;
}
