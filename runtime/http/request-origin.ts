// Where a request comes from, as far as the gateway believes it.

import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { crypto } from "../process/builtins.ts";

/** Where a request comes from, and what it was sent to. */
export interface RequestOrigin {
  /** The client's address; behind trusted proxies, the one they name. */
  readonly remoteAddress: string;
  /** What the client speaks. */
  readonly scheme: "http" | "https";
  /** The host and port that the client asked for; empty where it named none. */
  readonly host: string;
  /** The request's id, where a trusted proxy has given it one. */
  readonly requestId?: string | undefined;
  readonly certificate?: ClientCertificate | undefined;
}

/** The certificate that a client showed when it connected. */
export interface ClientCertificate {
  readonly x509: X509Certificate;
  /** Whether it was issued by an authority of `listen.tls.client_ca_file`, and holds now. */
  readonly isTrusted: boolean;
}

/** Reads the origin of a request; `undefined` where what is said about it contradicts itself. */
export type ReadOrigin = (request: IncomingMessage) => RequestOrigin | undefined;

/** The other end of the connection, whatever headers say. */
export function connectionOrigin(request: IncomingMessage): RequestOrigin {
  const { socket, headers } = request;
  let end = ends.get(socket);
  if (end === undefined) {
    end = new ConnectionEnd(socket);
    ends.set(socket, end);
  }
  return new ConnectionOrigin(end, headers.host ?? "");
}

/** What stays the same for all requests of a connection. */
class ConnectionEnd {
  readonly remoteAddress: string;
  readonly scheme: "http" | "https";
  readonly #socket: Socket;
  #certificate: ClientCertificate | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.remoteAddress = plainAddress(socket.remoteAddress ?? "");
    this.scheme = "encrypted" in socket ? "https" : "http";
  }

  get certificate(): ClientCertificate | undefined {
    this.#certificate ??= certificateOf(this.#socket);
    return this.#certificate;
  }
}

const ends = /* @__PURE__ */ new WeakMap<Socket, ConnectionEnd>();

class ConnectionOrigin implements RequestOrigin {
  readonly host: string;
  readonly #end: ConnectionEnd;

  constructor(end: ConnectionEnd, host: string) {
    this.host = host;
    this.#end = end;
  }

  get remoteAddress(): string {
    return this.#end.remoteAddress;
  }

  get scheme(): "http" | "https" {
    return this.#end.scheme;
  }

  get certificate(): ClientCertificate | undefined {
    return this.#end.certificate;
  }
}

/** An address of IPv4 in its own form, which sockets of IPv6 write as `::ffff:192.0.2.1`. */
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

/**
 * Takes out what a request claims about its way, once its origin is read: neither metadata nor upstreams see it. The id of its
 * origin takes the place of the one that it came with; without one it gets its id when that is asked for, by `requestIdOf`.
 */
export function settleHeaders(request: IncomingMessage, requestId: string | undefined): void {
  const { headers } = request;
  for (const name in headers) {
    if (!claimed.has(name)) continue;
    removeClaims(request);
    break;
  }
  // There and without a value: it has none yet.
  headers["x-request-id"] = undefined;
  if (requestId !== undefined) giveId(request, requestId);
}

/**
 * The id of a request whose headers are settled, which is among them from then on. It is made for the few requests whose id
 * anything reads. Of other requests, what they say themselves.
 */
export function requestIdOf(request: IncomingMessage): string | undefined {
  const { headers } = request;
  const given = headers["x-request-id"];
  if (given !== undefined || !("x-request-id" in headers))
    return typeof given === "string" ? given : undefined;
  return giveId(request, crypto().randomUUID());
}

/** All headers of a request, its id among them: for what goes through them, or looks up names of others. */
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
