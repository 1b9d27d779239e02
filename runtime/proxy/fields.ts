// Which header fields belong to one connection, or are the gateway's to write (RFC 9110, section 7.6.1).

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isOverride, readName } from "../http/incoming/overrides.ts";
import { memoised } from "../text/memo.ts";

/** Of one connection, or of the proxy a client speaks to. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** Fields that the gateway sets for the upstream: those of the client are dropped. */
const claimed: ReadonlySet<string> = new Set([
  "content-length",
  "expect",
  "forwarded",
  "host",
  "trailer",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
]);

/**
 * What a trailer of a request may not say besides, as servers that merge trailers into headers would take it for a field that
 * the gateway has looked at: who the client is, and what proves it.
 */
const personal =
  /auth|cert|claim|cookie|credential|group|identity|jwt|key|passw|permission|principal|role|scope|secret|session|signature|tenant|token|user/;

/**
 * What a trailer may not say, as it would come after all checks of the head (RFC 9110, section
 * 6.5.1): who asks, where to, how the body is to be read, and what pages may do with it.
 */
const headOnly =
  /^(?:authorization|cookie|set-cookie2?|cache-control|clear-site-data|host|range|te|age|date|expires|vary|location|refresh|link|retry-after|server|status|www-authenticate|authentication-info|strict-transport-security|max-forwards|(?:access-control|content|cross-origin|if|proxy|sec|x-content|x-forwarded|x-frame|x-original)-.*)$/;

/** The names in a `Connection` field, in lower case. */
export function namedIn(connection: string | undefined): ReadonlySet<string> {
  return connection === undefined ? noNames : namesIn(connection);
}

const noNames: ReadonlySet<string> = /* @__PURE__ */ new Set();

/** Nearly all of them say `keep-alive`. */
const namesIn = /* @__PURE__ */ memoised(
  64,
  (connection): ReadonlySet<string> =>
    new Set(connection.split(",").map((name) => name.trim().toLowerCase())),
);

/**
 * Whether a field of a request, in lower case, goes on to the upstream as it is. What names another request than this one
 * does where `allowed` has its name. A field in an unusual spelling (`X_Token`) goes on unless servers could take it for
 * one that the gateway has judged: one that is `present`, or in which `credentials` are taken.
 */
export function isPassedOn(
  name: string,
  named: ReadonlySet<string>,
  allowed: ReadonlySet<string>,
  present: IncomingHttpHeaders,
  credentials: readonly string[],
): boolean {
  if (named.has(name) || name.startsWith(":")) return false;
  const read = readName(name);
  if ((read !== name && Object.hasOwn(present, read)) || isTakenForOneOf(credentials, name, read))
    return false;
  return !hopByHop.has(read) && !claimed.has(read) && (!isOverride(read) || allowed.has(name));
}

function isTakenForOneOf(fields: readonly string[], name: string, read: string): boolean {
  return fields.some((field) => readName(field) === read) && !fields.includes(name);
}

/** Whether a field of an answer, in lower case, goes on to the client. */
export function isPassedBack(name: string, named: ReadonlySet<string>): boolean {
  return !named.has(name) && !hopByHop.has(name);
}

/**
 * Trailer fields of a request that go on to the upstream, as pairs: those that its head has announced and that say nothing
 * of who asks, or for what. `credentials` are the fields, in lower case, in which the API takes credentials.
 */
export function passedRequestTrailers(
  { trailers, headers }: Pick<IncomingMessage, "trailers" | "headers">,
  credentials: readonly string[],
): [string, string][] {
  const announced = namedIn(headers.trailer);
  return passedTrailers(trailers).filter(([name]) => {
    const read = readName(name);
    const isCredential = credentials.some((field) => readName(field) === read);
    return announced.has(name) && !personal.test(read) && !isOverride(read) && !isCredential;
  });
}

/** Trailer fields of an answer that go on to the client, as pairs. */
export function passedTrailers(trailers: NodeJS.Dict<string>): [string, string][] {
  return pairsOf(trailers).filter(([name]) => {
    const read = readName(name);
    return !headOnly.test(read) && !hopByHop.has(read) && !claimed.has(read);
  });
}

function pairsOf(trailers: NodeJS.Dict<string>): [string, string][] {
  return Object.entries(trailers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name.toLowerCase(), value]],
  );
}
