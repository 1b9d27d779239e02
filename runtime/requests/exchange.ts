// Sends one request and receives its response with Node's own client, which supports a body for every method and all
// ports.

import {
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from "node:http";
import { request as encryptedRequest } from "node:https";
import { isIP } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { GatewayError } from "../errors.ts";
import { unpackersOf } from "../message/content-encoding.ts";
import { type ConnectionSettings, type Connections, createConnections } from "./connections.ts";
import { secretNames } from "./dump.ts";
import type { AbortState, IncomingReply, OutgoingRequest, Send } from "./request.ts";

/** Sends requests over connections that it keeps open. */
export interface Exchanger {
  /** Sends a request and follows redirects; resolves with the last response. */
  readonly send: Send;
  /** Closes the connections. */
  close(): void;
}

/** Returns an exchanger; opens no connection before the first request. */
export function createExchanger(settings: ConnectionSettings): Exchanger {
  const connections = createConnections(settings);
  return {
    send: (request, signal) => follow(request, (hop) => exchange(hop, settings, connections, signal)),
    close: () => connections.close(),
  };
}

function exchange(
  request: OutgoingRequest,
  settings: ConnectionSettings,
  connections: Connections,
  signal: AbortState,
): Promise<IncomingReply> {
  const { url, verb, headers, body } = request;
  const isEncrypted = url.protocol === "https:";
  const options: RequestOptions = {
    ...addressee(url, settings),
    method: verb,
    headers: headOf(request, settings),
    ...(isEncrypted && nameOf(headers.get("host"))),
    agent: connections.agentFor(url.protocol),
  };
  return new Promise((resolve, reject) => {
    const outgoing = isEncrypted ? encryptedRequest(options) : plainRequest(options);
    outgoing.once("error", reject);
    outgoing.once("response", (answer) => resolve(replyOf(answer, verb)));
    destroyOnAbort(outgoing, signal);
    const finish = () => outgoing.end(body);
    if (headers.get("expect")?.toLowerCase() !== "100-continue") finish();
    else {
      // If the server does not respond, sends the body anyway, as servers require that do not know the header.
      const patience = setTimeout(finish, settings.transport.expect_continue_timeout);
      outgoing.once("continue", finish);
      outgoing.once("close", () => clearTimeout(patience));
      outgoing.once("continue", () => clearTimeout(patience));
      outgoing.flushHeaders();
    }
  });
}

/** Replaces Node's option `signal`, which also watches the end of both streams and costs more than the request. */
function destroyOnAbort(outgoing: ClientRequest, signal: AbortState): void {
  const abort = () => void outgoing.destroy(new Error("the request was aborted", { cause: signal.reason }));
  if (signal.aborted) abort();
  else {
    signal.addEventListener("abort", abort, { once: true });
    outgoing.once("close", () => signal.removeEventListener("abort", abort));
  }
}

/**
 * Returns the destination of the bytes: the server, or for plain requests the proxy, which receives the full address.
 */
function addressee(url: URL, { proxy }: ConnectionSettings): RequestOptions {
  const isProxied = proxy !== undefined && url.protocol === "http:";
  const { hostname, port } = isProxied ? proxy.url : url;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port || (url.protocol === "https:" ? 443 : 80),
    path: isProxied ? url.href.replace(/#.*$/s, "") : `${url.pathname}${url.search}`,
  };
}

/**
 * Returns the name that the server's certificate must have if the document sets the header `Host`; "" for an IP
 * address.
 */
function nameOf(host: string | undefined): { readonly servername?: string } {
  if (host === undefined) return {};
  const name = host.split(":", 1)[0] ?? "";
  return { servername: host.startsWith("[") || isIP(name) !== 0 ? "" : name };
}

/** The methods whose requests have no `Content-Length` if their body is empty. */
const bodiless: ReadonlySet<string> = /* @__PURE__ */ new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

/**
 * Returns the headers of a request as a flat list like `rawHeaders`. Node writes such a list unchanged; for an object
 * it checks, copies and looks up the headers, which costs a seventh of a short request.
 */
function headOf({ url, verb, headers, body }: OutgoingRequest, { proxy }: ConnectionSettings): string[] {
  const head: string[] = [];
  const add = (name: string, value: string) => {
    if (!headers.has(name)) head.push(name, value);
  };
  add("host", url.host);
  add("accept", "*/*");
  add("accept-encoding", "gzip, deflate, br");
  add("user-agent", "sluice");
  const authorization = url.protocol === "http:" ? proxy?.authorization : undefined;
  for (const [name, value] of headers) {
    if (name === "content-length" || (name === "proxy-authorization" && authorization !== undefined))
      continue;
    head.push(name, value);
  }
  const length = body?.byteLength ?? 0;
  if (length > 0 || !bodiless.has(verb)) head.push("content-length", String(length));
  if (authorization !== undefined) head.push("proxy-authorization", authorization);
  return head;
}

function replyOf(answer: IncomingMessage, verb: string): IncomingReply {
  const { statusCode: status = 0, headers } = answer;
  // Such a response has no body, but may name the encoding that its body would have.
  const isBare = verb === "HEAD" || status === 204 || status === 304;
  return { status, headers, body: isBare ? answer : unpack(answer) };
}

function unpack(answer: IncomingMessage): Readable {
  const unpackers = unpackersOf(answer.headers["content-encoding"]);
  if (unpackers === undefined || unpackers.length === 0) return answer; // no encoding, or an unknown one
  const last = unpackers.at(-1) ?? answer;
  // Reading the last stream fails if any of the streams fails.
  pipeline([answer, ...unpackers], () => undefined);
  return last as Readable;
}

// Redirects (RFC 9110, section 15.4).

/** The reference engine follows the same number. */
const mostRedirects = 10;

/** Whether only the original server may receive a header; this includes every header whose name suggests a secret. */
function isPersonal(name: string): boolean {
  return name === "host" || secretNames.test(name);
}

/** Sends a request and follows redirects; resolves with the first response that is not a redirect. */
async function follow(
  request: OutgoingRequest,
  send: (request: OutgoingRequest) => Promise<IncomingReply>,
): Promise<IncomingReply> {
  let at = request;
  for (let hops = 0; ; hops += 1) {
    const reply = await send(at);
    const next = redirect(at, reply);
    if (next === undefined) return reply;
    reply.body.resume();
    if (hops === mostRedirects) throw new GatewayError(502, "The HTTP request was redirected too often");
    at = next;
  }
}

/** Returns the request to send instead; `undefined` if the response is not a redirect. */
function redirect(request: OutgoingRequest, { status, headers }: IncomingReply): OutgoingRequest | undefined {
  const target = headers.location === undefined ? null : URL.parse(headers.location, request.url.href);
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  const isSameRequest = status === 307 || status === 308;
  if (!isSameRequest && ![301, 302, 303].includes(status)) return undefined;
  if (request.mayGoTo?.(target) === false) {
    const message = "The HTTP request was redirected to a server that is not allowed";
    throw new GatewayError(502, message, { retryable: false });
  }
  const kept = new Map(request.headers);
  if (target.origin !== request.url.origin) {
    for (const name of [...kept.keys()]) if (isPersonal(name)) kept.delete(name);
  }
  if (isSameRequest) return { ...request, url: target, headers: kept };
  // Clients have always sent GET in these cases, and the standard now permits it for all methods but HEAD.
  for (const name of [...kept.keys()]) if (/^(content-|expect$)/.test(name)) kept.delete(name);
  const verb = request.verb === "HEAD" ? "HEAD" : "GET";
  return { ...request, verb, url: target, headers: kept, body: undefined };
}
