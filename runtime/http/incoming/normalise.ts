// The one reading of a request's head, made where it leaves the listener. Everything behind goes by it.

import { type IncomingMessage, METHODS } from "node:http";
import { memoised } from "../../text/memo.ts";
import type { RequestOrigin } from "../request-origin.ts";
import { parsePath, type RequestPath } from "../request-path.ts";

/** What a request asks for. */
export interface NormalisedRequest {
  /** In capitals, as every method is that the gateway takes. */
  readonly method: string;
  /** `http://example.com:8080`: the host is in lower case, without a dot at the end. */
  readonly origin: string;
  readonly path: RequestPath;
  /** As it was sent: `/a%20b`. */
  readonly pathText: string;
  /** With its `?`, empty when there is none. */
  readonly query: string;
}

/** Whether a listener takes a method that Node's parser does not know, for a target. */
export type OwnMethodTest = (method: string, target: string) => boolean;

/** Those that Node reads on HTTP/1.1; the same hold for HTTP/2, where Node takes any text. */
const methods: ReadonlySet<string> = /* @__PURE__ */ new Set(METHODS);

/** The absolute form, which clients of proxies send: its authority, and the origin form of the rest. */
const absolutePattern = /^https?:\/\/([^/?#]*)(\/.*)$/i;

/** A path has no blanks and nothing beyond ASCII, and neither has a query. */
const pathPattern = /^\/[!-"$->@-~]*$/;
const queryPattern = /^\?[!-"$-~]*$/;

/** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
const authorityPattern = /^(\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(:\d*)?$/i;

/**
 * Reads the head of a request that was sent to `host` by `scheme`, and gives its target the origin form. `undefined` where
 * servers might read it in different ways: a method in another case, an authority that is none or contradicts `Host`, a
 * path that `parsePath` refuses, a body in other codings than chunks.
 */
export function normaliseRequest(
  request: IncomingMessage,
  { host, scheme }: Pick<RequestOrigin, "host" | "scheme">,
  isOwnMethod?: OwnMethodTest,
): NormalisedRequest | undefined {
  const { method = "", url: target = "" } = request;
  if (!methods.has(method) && isOwnMethod?.(method, target) !== true) return undefined;
  // On HTTP/1.1, Node refuses what names no host.
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
 * Whether a body that is sent in transfer codings is sent in chunks alone: one in other codings would go on undecoded, and
 * HTTP/1.0 has none (RFC 9112, section 6.1).
 */
function isFramed({ headers: { "transfer-encoding": coding }, httpVersion }: IncomingMessage): boolean {
  return coding === undefined || (httpVersion !== "1.0" && coding.toLowerCase() === "chunked");
}

/** Gives a request in absolute form the origin form; `undefined` where that would leave something out. */
function withoutAuthority(request: IncomingMessage): string | undefined {
  const [, authority = "", originForm] = absolutePattern.exec(request.url ?? "") ?? [];
  // An intermediary may have used the one or the other (RFC 9112, section 3.2.2). HTTP/2 has no such form.
  if (request.httpVersionMajor > 1 || !isSameAuthority(authority, request.headers.host)) return undefined;
  if (originForm !== undefined) request.url = originForm;
  return originForm;
}

/** The absolute address of a request, which is an object of its own each time. */
export function addressOf({
  origin,
  pathText,
  query,
}: Pick<NormalisedRequest, "origin" | "pathText" | "query">): URL {
  return new URL(`${origin}${pathText}${query}`);
}

function isSameAuthority(authority: string, host: string | undefined): boolean {
  return authority.toLowerCase() === host?.toLowerCase();
}

/** Most clients ask for few paths, and by one name, so that these are read once. */
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
  // The standard of URLs reads `0x7f.1` and `017700000001` as 127.0.0.1; servers differ.
  const isUsual = url !== null && (name.startsWith("[") || url.hostname === name.toLowerCase());
  return isUsual ? url.origin : undefined;
}
