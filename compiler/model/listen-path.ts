// Where an API is mounted.

import type { Span } from "../source/source.ts";
import type { DeclaredServer } from "./operations.ts";
import type { WrittenValue } from "./written.ts";

/** The listen path of an API, and where it was written. */
export interface ListenPath {
  /** With `/` at both ends. */
  readonly path: string;
  /** As the gateway compares it: names of parameters make no difference. */
  readonly shape: string;
  /** `undefined` where it was not written. */
  readonly span: Span | undefined;
}

/** It is `x-gw-api-gateway.server.listenPath.value`, else the path of `servers[0].url`, else `/`. */
export function readListenPath(
  written: { readonly value: WrittenValue | undefined; readonly text: string | undefined },
  server: DeclaredServer | undefined,
): ListenPath {
  const inner = (written.text ?? serverPath(server?.url)).replace(/^\/+|\/+$/g, "");
  const path = inner === "" ? "/" : `/${inner}/`;
  return { path, shape: shapeOf(path), span: written.value?.node.span ?? server?.urlSpan };
}

function serverPath(url: string | undefined): string {
  // The host is never looked at: a relative URL only needs one to be read. Server variables (`{stage}`)
  // have no value here, so a path that holds one says nothing.
  const path = url === undefined ? "/" : (URL.parse(url, "http://gateway.invalid/")?.pathname ?? "/");
  return path.includes("%7B") || path.includes("{") ? "/" : path;
}

function shapeOf(path: string): string {
  return path
    .split("/")
    .map((segment) => segment.replace(/^\{[^{}]+\}$/, "{}"))
    .join("/");
}
