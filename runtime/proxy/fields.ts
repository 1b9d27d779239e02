// Decides which header fields belong to one connection, or are set by the gateway (RFC 9110, section 7.6.1).

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isOfConnection, namedIn } from "../http/connection-fields.ts";
import { isOverride, readName } from "../http/incoming/overrides.ts";

/** Fields of one connection, or of the proxy that a client uses. */
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
 * Further names that a trailer of a request may not have, because servers that merge trailers into headers would take
 * it for a field that the gateway has checked: the client's identity and its proof.
 */
const personal =
  /auth|cert|claim|cookie|credential|group|identity|jwt|key|passw|permission|principal|role|scope|secret|session|signature|tenant|token|user/;

/**
 * Names that no trailer may have, as it comes after all checks of the head (RFC 9110, section 6.5.1): authentication,
 * routing, framing of the body, and permissions of pages.
 */
const headOnly =
  /^(?:authorization|cookie|set-cookie2?|cache-control|clear-site-data|host|range|te|age|date|expires|vary|location|refresh|link|retry-after|server|status|www-authenticate|authentication-info|strict-transport-security|max-forwards|(?:access-control|content|cross-origin|if|proxy|sec|x-content|x-forwarded|x-frame|x-original)-.*)$/;

/**
 * Whether a request field, in lower case, is passed to the upstream unchanged. A field that overrides a part of the
 * request is passed only if `allowed` contains its name. A field with an unusual spelling (`X_Token`) is passed
 * unless servers could take it for a field that the gateway has checked: one that is `present`, or one of
 * `credentials`.
 */
export function isPassedOn(
  name: string,
  named: ReadonlySet<string>,
  allowed: ReadonlySet<string>,
  present: IncomingHttpHeaders,
  credentials: readonly string[],
): boolean {
  if (isOfConnection(name, named) || name.startsWith(":")) return false;
  const read = readName(name);
  if ((read !== name && Object.hasOwn(present, read)) || isTakenForOneOf(credentials, name, read))
    return false;
  return !hopByHop.has(read) && !claimed.has(read) && (!isOverride(read) || allowed.has(name));
}

function isTakenForOneOf(fields: readonly string[], name: string, read: string): boolean {
  return fields.some((field) => readName(field) === read) && !fields.includes(name);
}

/** Whether a response field, in lower case, is passed to the client. */
export function isPassedBack(name: string, named: ReadonlySet<string>): boolean {
  return !named.has(name) && !hopByHop.has(name);
}

/**
 * Returns the trailers of a request to pass to the upstream, as pairs: those that the head announced and that do not
 * identify the client or change the request. `credentials`: fields, in lower case, in which the API accepts
 * credentials.
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

/** Returns the trailers of a response to pass to the client, as pairs. */
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
