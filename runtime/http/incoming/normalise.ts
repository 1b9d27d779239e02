// The one reading of a request's head, made where it leaves the listener. Everything behind goes by it.

import { type IncomingMessage, METHODS } from "node:http";
import type { RequestOrigin } from "../request-origin.ts";
import { parsePath, type RequestPath } from "../request-path.ts";

/** What a request asks for. */
export interface NormalisedRequest {
  /** In capitals, as every method is that the gateway takes. */
  readonly method: string;
  readonly path: RequestPath;
  /** With its `?`, empty when there is none. */
  readonly query: string;
  /** The absolute address; its host is in lower case, without a dot at the end. */
  readonly url: URL;
}

/** Whether a listener takes a method that Node's parser does not know, for a target. */
export type OwnMethodTest = (method: string, target: string) => boolean;

/** Those that Node reads on HTTP/1.1; the same hold for HTTP/2, where Node takes any text. */
const methods: ReadonlySet<string> = /* @__PURE__ */ new Set(METHODS);

/** Origin form, or the absolute form that clients of proxies send; a target has no blanks and nothing beyond ASCII. */
const targetPattern = /^(https?:\/\/([^/?#]*))?(\/[!-"$->@-~]*)(\?[!-"$-~]*)?$/i;

/** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
const authorityPattern = /^(\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(:\d*)?$/i;

/**
 * Reads the head of a request that was sent to `host` by `scheme`, and gives its target the origin form. `undefined` where
 * servers might read it in different ways: a method in another case, an authority that is none or contradicts `Host`, a
 * path that `parsePath` refuses.
 */
export function normaliseRequest(
  request: IncomingMessage,
  { host, scheme }: Pick<RequestOrigin, "host" | "scheme">,
  isOwnMethod?: OwnMethodTest,
): NormalisedRequest | undefined {
  const { method = "", url: target = "" } = request;
  const [, absolute, authority = "", pathText = "", query = ""] = targetPattern.exec(target) ?? [];
  if (!methods.has(method) && isOwnMethod?.(method, target) !== true) return undefined;
  if (absolute !== undefined) {
    // Whoever stands in between may have gone by the one or the other (RFC 9112, section 3.2.2). HTTP/2 has no such form.
    if (request.httpVersionMajor > 1 || !isSameAuthority(authority, request.headers.host)) return undefined;
    request.url = `${pathText}${query}`;
  }
  // On HTTP/1.1, Node refuses what names no host.
  if (host === "" && request.httpVersionMajor > 1) return undefined;
  const path = parsePath(pathText);
  const url = path && readAddress(scheme, host, `${pathText}${query}`);
  return path && url && { method, path, query, url };
}

function isSameAuthority(authority: string, host: string | undefined): boolean {
  return authority.toLowerCase() === host?.toLowerCase();
}

function readAddress(scheme: string, host: string, target: string): URL | undefined {
  const [, written, port = ""] = authorityPattern.exec(host === "" ? "localhost" : host) ?? [];
  if (written === undefined) return undefined;
  const name = written.endsWith(".") ? written.slice(0, -1) : written;
  const url = URL.parse(`${scheme}://${name}${port}${target}`);
  // The standard of URLs reads `0x7f.1` and `017700000001` as 127.0.0.1; servers differ.
  const isUsual = url !== null && (name.startsWith("[") || url.hostname === name.toLowerCase());
  return isUsual ? url : undefined;
}
