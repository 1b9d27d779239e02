// Determines where a request comes from, as far as the gateway trusts the information.

import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { crypto } from "../process/builtins.ts";

/** Where a request comes from, and the host that it was sent to. */
export interface RequestOrigin {
  /** The client's address; behind trusted proxies, the address that they report. */
  readonly remoteAddress: string;
  /** The scheme that the client used. */
  readonly scheme: "http" | "https";
  /** The host and port that the client requested; empty if it sent none. */
  readonly host: string;
  /** The request's id, if a trusted proxy assigned one. */
  readonly requestId?: string | undefined;
  readonly certificate?: ClientCertificate | undefined;
}

/** The certificate that a client sent when it connected. */
export interface ClientCertificate {
  readonly x509: X509Certificate;
  /** Whether an authority of `listen.tls.client_ca_file` issued it, and it is valid now. */
  readonly isTrusted: boolean;
}

/** Returns the origin of a request; `undefined` if the information about it is contradictory. */
export type ReadOrigin = (request: IncomingMessage) => RequestOrigin | undefined;

/** Returns the peer of the connection, ignoring headers. */
export function connectionOrigin(request: IncomingMessage): RequestOrigin {
  const { headers } = request;
  const socket: OriginSocket = request.socket;
  const { host = "" } = headers;
  const known = socket[latestOrigin];
  if (known?.host === host) return known;
  const origin = new ConnectionOrigin(known?.end ?? new ConnectionEnd(socket), host);
  socket[latestOrigin] = origin;
  return origin;
}

const latestOrigin: unique symbol = /* @__PURE__ */ Symbol("latestOrigin");

/** A connection that remembers the origin of its latest request: nearly all requests of a connection share it. */
interface OriginSocket extends Socket {
  [latestOrigin]?: ConnectionOrigin;
}

/** The part of the origin that is the same for all requests of a connection. */
class ConnectionEnd {
  readonly remoteAddress: string;
  readonly scheme: "http" | "https";
  readonly certificate: ClientCertificate | undefined;

  /** Reads everything now: a closed connection tells nothing. */
  constructor(socket: Socket) {
    this.remoteAddress = plainAddress(socket.remoteAddress ?? "");
    this.scheme = "encrypted" in socket ? "https" : "http";
    this.certificate = certificateOf(socket);
  }
}

class ConnectionOrigin implements RequestOrigin {
  readonly host: string;
  readonly end: ConnectionEnd;

  constructor(end: ConnectionEnd, host: string) {
    this.host = host;
    this.end = end;
  }

  get remoteAddress(): string {
    return this.end.remoteAddress;
  }

  get scheme(): "http" | "https" {
    return this.end.scheme;
  }

  get certificate(): ClientCertificate | undefined {
    return this.end.certificate;
  }
}

/** Returns an IPv4 address in its own form; IPv6 sockets report it as `::ffff:192.0.2.1`. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, "");
}

function certificateOf(socket: Socket): ClientCertificate | undefined {
  if (!("getPeerX509Certificate" in socket) || typeof socket.getPeerX509Certificate !== "function") {
    return undefined;
  }
  const x509: unknown = socket.getPeerX509Certificate();
  if (!(x509 instanceof crypto().X509Certificate)) return undefined;
  return { x509, isTrusted: "authorized" in socket && socket.authorized === true };
}

const claimed: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
  "x-request-id",
]);

const letterF = 0x66;
const letterX = 0x78;

/**
 * Removes the headers in which a request claims its origin, after the origin was determined: neither metadata nor
 * upstreams see them. The id of the origin replaces the one of the request; without one, `requestIdOf` creates the id
 * on demand.
 */
export function settleHeaders(request: IncomingMessage, requestId: string | undefined): void {
  const { headers } = request;
  for (const name in headers) {
    // Most names begin with another letter than the claimed ones, which is found faster than by a look-up.
    const first = name.charCodeAt(0);
    if ((first !== letterX && first !== letterF) || !claimed.has(name)) continue;
    removeClaims(request);
    break;
  }
  // The property exists without a value: no id was created yet.
  headers["x-request-id"] = undefined;
  if (requestId !== undefined) giveId(request, requestId);
}

/**
 * Returns the id of a request, and adds it to the headers if `settleHeaders` was called. It is created on demand, as
 * few requests need it. For other requests, returns their own header.
 */
export function requestIdOf(request: IncomingMessage): string | undefined {
  const { headers } = request;
  const given = headers["x-request-id"];
  if (given !== undefined || !("x-request-id" in headers))
    return typeof given === "string" ? given : undefined;
  return giveId(request, crypto().randomUUID());
}

/** Returns the headers with the request id among them, for code that iterates over headers or looks names up. */
export function headersWithId(request: IncomingMessage): Pick<IncomingMessage, "headers" | "rawHeaders"> {
  requestIdOf(request);
  return request;
}

function giveId({ headers, rawHeaders }: IncomingMessage, id: string): string {
  headers["x-request-id"] = id;
  rawHeaders.push("X-Request-Id", id);
  return id;
}

function removeClaims({ headers, rawHeaders }: IncomingMessage): void {
  for (const name of claimed) delete headers[name];
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (claimed.has(rawHeaders[index]?.toLowerCase() ?? "")) rawHeaders.splice(index, 2);
  }
}
