// The metadata that a message has from its request.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { HttpExchange, SocketExchange } from "../component/endpoint.ts";
import type { MessageAttributes, Metadata, TraceParent } from "../message/message.ts";
import type { Value } from "../message/value.ts";
import { memoised } from "../text/memo.ts";
import { fieldText } from "../text/utf8.ts";
import { connectionOrigin, headersWithId } from "./request-origin.ts";

/** Credentials, and headers that describe the connection or the encoding instead of the message. */
const leftOut: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "sec-websocket-key",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The metadata that the messages of a request carry. */
export interface RequestMetadata {
  readonly metadata: Metadata;
  /** The value for `Message.parameters`. */
  readonly parameters: ReadonlySet<string> | undefined;
}

/** The trace of a request that the gateway traces, as its headers contain it: messages need not search their metadata. */
export const requestTrace: unique symbol = /* @__PURE__ */ Symbol("requestTrace");

/** A request that may be traced. */
export interface TracedRequest extends IncomingMessage {
  [requestTrace]?: TraceParent;
}

/** The attributes of a request's message, collected on demand: most streams read none of them. */
export class RequestAttributes implements MessageAttributes {
  readonly failure = undefined;
  readonly failureSource = undefined;
  readonly trace = undefined;
  readonly place = 0;
  readonly position = undefined;
  readonly #exchange: HttpExchange;
  #read: RequestMetadata | undefined;

  constructor(exchange: HttpExchange) {
    this.#exchange = exchange;
  }

  get metadata(): Metadata {
    return this.#all.metadata;
  }

  get parameters(): ReadonlySet<string> | undefined {
    return this.#all.parameters;
  }

  get parentTrace(): TraceParent | undefined {
    const { request }: { readonly request: TracedRequest } = this.#exchange;
    return request[requestTrace];
  }

  get #all(): RequestMetadata {
    this.#read ??= requestMetadata(this.#exchange);
    return this.#read;
  }
}

/**
 * Returns `http_server_*`, including those of an encrypted connection; then headers under their canonical names
 * (`Content-Type`), as UTF-8 if they are valid UTF-8; path parameters; query parameters; cookies. The first value of
 * a name wins. Query parameters and cookies never take a name that a header or the gateway could use, whether or not
 * it exists: a script can rely on `X-User-Id` being a header.
 */
export function requestMetadata(exchange: HttpExchange | SocketExchange): RequestMetadata {
  const { request, params, query } = exchange;
  const metadata = new Map<string, Value>();
  metadata.set("http_server_user_agent", fieldText(request.headers["user-agent"] ?? ""));
  metadata.set("http_server_request_path", exchange.pathname);
  metadata.set("http_server_verb", request.method ?? "");
  metadata.set("http_server_remote_ip", exchange.remoteAddress);
  addTls(request, metadata);
  addHeaders(request, metadata);
  let parameters: Set<string> | undefined;
  const add = (name: string, value: string) => {
    if (metadata.has(name)) return;
    metadata.set(name, value);
    parameters ??= new Set();
    parameters.add(name);
  };
  for (const [name, value] of params) add(name, value);
  const addUntrusted = (name: string, value: string) => {
    if (!isReserved(name)) add(name, value);
  };
  if (query !== "") for (const [name, value] of new URLSearchParams(query)) addUntrusted(name, value);
  const { cookie } = request.headers;
  if (cookie !== undefined) addCookies(fieldText(cookie), addUntrusted);
  return { metadata, parameters };
}

/**
 * Adds the version and cipher suite of the connection (`TLSv1.3`, `TLS_AES_128_GCM_SHA256`), and the subject of a
 * verified client certificate in the format of RFC 2253.
 */
function addTls(request: IncomingMessage, metadata: Map<string, Value>): void {
  const { socket } = request;
  if (!isEncrypted(socket)) return;
  metadata.set("http_server_tls_version", socket.getProtocol() ?? "");
  const { certificate } = connectionOrigin(request);
  if (certificate?.isTrusted === true) {
    metadata.set("http_server_tls_subject", distinguishedName(certificate.x509.subject));
  }
  // A closed connection has none, contrary to the types.
  metadata.set("http_server_tls_cipher_suite", socket.getCipher()?.standardName ?? "");
}

function isEncrypted(socket: Socket): socket is TLSSocket {
  return "getCipher" in socket;
}

/** Converts lines with one attribute each, the most general first, to RFC 2253, which begins with the most specific. */
function distinguishedName(lines: string): string {
  return lines.split("\n").reverse().join(",");
}

/** Returns the metadata name of a header, or an empty text to leave it out. Cached: clients send few names. */
const metadataName = /* @__PURE__ */ memoised(512, (name) =>
  leftOut.has(name.toLowerCase()) ? "" : canonicalHeaderName(name),
);

/** Returns a header name in its usual case: `content-type` becomes `Content-Type`. */
export function canonicalHeaderName(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Whether a name has the form of a header (`X-User-Id`, `Page`, not `page` or `pageSize`), or is the gateway's. */
function isReserved(name: string): boolean {
  if (name.startsWith("http_server_")) return true;
  return /[A-Z]/.test(name) && canonicalHeaderName(name) === name;
}

function addHeaders(request: IncomingMessage, metadata: Map<string, Value>): void {
  const { rawHeaders } = headersWithId(request);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const canonical = metadataName(rawHeaders[index] ?? "");
    if (canonical !== "" && !metadata.has(canonical))
      metadata.set(canonical, fieldText(rawHeaders[index + 1] ?? ""));
  }
}

function addCookies(header: string, add: (name: string, value: string) => void): void {
  for (const pair of header.split(";")) {
    const [name = "", ...value] = pair.split("=");
    if (name.trim() !== "" && value.length > 0) add(name.trim(), value.join("=").trim());
  }
}
