// Normalises the head of a request once, directly behind the listener. All other parts of the gateway use the result.

import { type IncomingMessage, METHODS } from "node:http";
import { memoised } from "../../text/memo.ts";
import type { RequestOrigin } from "../request-origin.ts";
import { parsePath, type RequestPath } from "../request-path.ts";

/** The normalised head of a request. */
export interface NormalisedRequest {
  /** In capitals, like every method that the gateway accepts. */
  readonly method: string;
  /** `http://example.com:8080`: the host is in lower case, without a dot at the end. */
  readonly origin: string;
  readonly path: RequestPath;
  /** The path as sent: `/a%20b`. */
  readonly pathText: string;
  /** With its `?`; empty if there is none. */
  readonly query: string;
}

/** Whether a listener accepts a method, for a target, that Node's parser does not know. */
export type OwnMethodTest = (method: string, target: string) => boolean;

/** The methods that Node.js reads on HTTP/1.1; HTTP/2 is limited to the same, as Node.js accepts any text there. */
const methods: ReadonlySet<string> = /* @__PURE__ */ new Set(METHODS);

/** The absolute form, which clients of proxies send: the authority, and the rest in origin form. */
const absolutePattern = /^https?:\/\/([^/?#]*)(\/.*)$/i;

/** Paths and queries contain no spaces and only ASCII characters. */
const pathPattern = /^\/[!-"$->@-~]*$/;
const queryPattern = /^\?[!-"$-~]*$/;

/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port. */
const authorityPattern = /^(\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(:\d*)?$/i;

/**
 * Normalises the head of a request that was sent to `host` over `scheme`, and rewrites its target to the origin form.
 * `undefined` if servers might read the request in different ways: a method in another case, an invalid authority or
 * one that contradicts `Host`, a path that `parsePath` refuses, or a body with transfer codings other than `chunked`.
 */
export function normaliseRequest(
  request: IncomingMessage,
  { host, scheme }: Pick<RequestOrigin, "host" | "scheme">,
  isOwnMethod?: OwnMethodTest,
): NormalisedRequest | undefined {
  const { method = "", url: target = "" } = request;
  if (!methods.has(method) && isOwnMethod?.(method, target) !== true) return undefined;
  // On HTTP/1.1, Node.js refuses requests without a host.
  if (host === "" && request.httpVersionMajor > 1) return undefined;
  if (!isFramed(request)) return undefined;
  const originForm = target.startsWith("/") ? target : withoutAuthority(request);
  if (originForm === undefined) return undefined;
  const end = originForm.indexOf("?");
  const pathText = end === -1 ? originForm : originForm.slice(0, end);
  const query = end === -1 ? "" : originForm.slice(end);
  const path = readPath(pathText);
  const origin = (scheme === "http" ? httpOrigin : httpsOrigin)(host);
  if (path === undefined || origin === undefined || (end !== -1 && !queryPattern.test(query)))
    return undefined;
  return { method, path, pathText, query, origin };
}

/**
 * Whether `chunked` is the only transfer coding of the body: with others the body would be passed on undecoded, and
 * HTTP/1.0 has no transfer codings (RFC 9112, section 6.1).
 */
function isFramed({ headers: { "transfer-encoding": coding }, httpVersion }: IncomingMessage): boolean {
  return coding === undefined || (httpVersion !== "1.0" && coding.toLowerCase() === "chunked");
}

/** Rewrites an absolute-form target to the origin form; `undefined` if that would lose information. */
function withoutAuthority(request: IncomingMessage): string | undefined {
  const [, authority = "", originForm] = absolutePattern.exec(request.url ?? "") ?? [];
  // An intermediary may have used either of them (RFC 9112, section 3.2.2). HTTP/2 has no absolute form.
  if (request.httpVersionMajor > 1 || !isSameAuthority(authority, request.headers.host)) return undefined;
  if (originForm !== undefined) request.url = originForm;
  return originForm;
}

/** Returns the absolute URL of a request, a new object each time. */
export function addressOf({
  origin,
  pathText,
  query,
}: Pick<NormalisedRequest, "origin" | "pathText" | "query">): URL {
  return new URL(`${origin}${pathText}${query}`);
}

/** Returns the path of a request's URL, which encodes more characters than clients have to. Cached, like `readPath`. */
export const pathnameOf = /* @__PURE__ */ memoised(
  1024,
  (pathText) => addressOf({ origin: "http://localhost", pathText, query: "" }).pathname,
);

function isSameAuthority(authority: string, host: string | undefined): boolean {
  return authority.toLowerCase() === host?.toLowerCase();
}

/** Caches: most clients request few paths, of one host. */
const readPath = /* @__PURE__ */ memoised(1024, (text) =>
  pathPattern.test(text) ? parsePath(text) : undefined,
);
const httpOrigin = /* @__PURE__ */ memoised(256, (host) => readOrigin("http", host));
const httpsOrigin = /* @__PURE__ */ memoised(256, (host) => readOrigin("https", host));

function readOrigin(scheme: string, host: string): string | undefined {
  const [, written, port = ""] = authorityPattern.exec(host === "" ? "localhost" : host) ?? [];
  if (written === undefined) return undefined;
  const name = written.endsWith(".") ? written.slice(0, -1) : written;
  const url = URL.parse(`${scheme}://${name}${port}`);
  // The URL standard reads `0x7f.1` and `017700000001` as 127.0.0.1; servers differ.
  const isUsual = url !== null && (name.startsWith("[") || url.hostname === name.toLowerCase());
  return isUsual ? url.origin : undefined;
}
