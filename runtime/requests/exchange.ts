// Sends one request and receives its response with Node's own client, which supports a body for every method and all
// ports.

import {
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
  validateHeaderName,
  validateHeaderValue,
} from "node:http";
import { request as encryptedRequest } from "node:https";
import { isIP } from "node:net";
import { attempt } from "../concurrency/promises.ts";
import { GatewayError } from "../errors.ts";
import { codingFault } from "../http/connection-fields.ts";
import {
  type ConnectionSettings,
  type Connections,
  createConnections,
  Wires,
  type WireTarget,
} from "./connections.ts";
import { secretNames } from "./dump.ts";
import type { AbortState, IncomingReply, OutgoingRequest, Send } from "./request.ts";
import { parserClass } from "./wire.ts";
import { discardBody, unpackBody } from "./wire-reply.ts";

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
  const parser = parserClass().of;
  const wires = parser && new Wires(parser, settings.transport);
  const describeTarget = targets(settings, connections);
  const send = (request: OutgoingRequest, signal: AbortState): Promise<IncomingReply> => {
    const target = describeTarget(request);
    if (wires === undefined || target === undefined) return exchange(request, settings, connections, signal);
    const { verb, body } = request;
    return wires.send(target, { verb, head: headFor(target, request), body }, signal);
  };
  return {
    send: (request, signal) =>
      attempt(send, request, signal).then((reply) =>
        reply.first("location") === undefined ? reply : follow(request, reply, (hop) => send(hop, signal)),
      ),
    close() {
      wires?.close();
      connections.close();
    },
  };
}

/** Headers that change how the connection is used. */
const ofConnection: readonly string[] = ["connection", "expect", "upgrade"];

/** Where requests go, and the part of their head that they share. */
interface Target extends WireTarget {
  readonly start: string;
}

/**
 * Returns a function that returns the target of a request; `undefined` for a request that leaves the connection in
 * another state. Requests mostly differ in their body only: the target of the last one is kept.
 */
function targets(
  settings: ConnectionSettings,
  connections: Connections,
): (request: OutgoingRequest) => Target | undefined {
  let last: { readonly request: Addressed; readonly target: Target | undefined } | undefined;
  return (request) => {
    if (last === undefined || !hasSameTarget(request, last.request)) {
      const { verb, url, headers } = request;
      const isPlain = !ofConnection.some((name) => headers.has(name));
      const target = isPlain ? targetOf(request, settings, connections) : undefined;
      // Copied, since renewed credentials replace a header of the same request.
      last = { request: { verb, url, headers: new Map(headers) }, target };
    }
    return last.target;
  };
}

type Addressed = Pick<OutgoingRequest, "verb" | "url" | "headers">;

function hasSameTarget(request: Addressed, other: Addressed): boolean {
  const { url, verb, headers } = request;
  if (url !== other.url || verb !== other.verb || headers.size !== other.headers.size) return false;
  for (const [name, value] of headers) if (other.headers.get(name) !== value) return false;
  return true;
}

function targetOf(request: OutgoingRequest, settings: ConnectionSettings, connections: Connections): Target {
  const { url, verb, headers } = request;
  const { path, ...to } = addressee(url, settings);
  const agent = connections.agentFor(url.protocol);
  // Throws for a method, a name or a value that a head cannot hold.
  const method = verb.toUpperCase();
  validateHeaderName(method);
  let start = `${method} ${path} HTTP/1.1\r\n`;
  const fields = headOf(request, settings);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    validateHeaderName(name);
    validateHeaderValue(name, value);
    start += `${name}: ${value}\r\n`;
  }
  start += "connection: keep-alive\r\n";
  if (url.protocol === "http:") return { agent, to, key: `${to.host} ${to.port}`, start };
  const servername = isIP(to.host) === 0 ? to.host : "";
  return { agent, to: { ...to, servername, ...nameOf(headers.get("host")) }, start };
}

function headFor({ start }: Target, request: OutgoingRequest): string {
  const length = lengthOf(request);
  return length === undefined ? `${start}\r\n` : `${start}content-length: ${length}\r\n\r\n`;
}

function exchange(
  request: OutgoingRequest,
  settings: ConnectionSettings,
  connections: Connections,
  signal: AbortState,
): Promise<IncomingReply> {
  const { url, verb, headers, body } = request;
  const length = lengthOf(request);
  const isEncrypted = url.protocol === "https:";
  const options: RequestOptions = {
    ...addressee(url, settings),
    method: verb,
    headers: [...headOf(request, settings), ...(length === undefined ? [] : ["content-length", `${length}`])],
    ...(isEncrypted && nameOf(headers.get("host"))),
    agent: connections.agentFor(url.protocol),
  };
  return new Promise((resolve, reject) => {
    const outgoing = isEncrypted ? encryptedRequest(options) : plainRequest(options);
    outgoing.once("error", reject);
    outgoing.once("response", (answer) => {
      const fault = codingFault(answer.headers["transfer-encoding"]);
      if (fault === undefined) resolve(replyOf(answer, verb));
      else outgoing.destroy(fault);
    });
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

interface Addressee {
  readonly host: string;
  readonly port: string | number;
  readonly path: string;
}

/**
 * Returns the destination of the bytes: the server, or for plain requests the proxy, which receives the full address.
 */
function addressee(url: URL, { proxy }: ConnectionSettings): Addressee {
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

/** Returns the value of `Content-Length`; `undefined` if there is to be none. */
function lengthOf({ verb, body }: OutgoingRequest): number | undefined {
  const length = body?.byteLength ?? 0;
  return length > 0 || !bodiless.has(verb) ? length : undefined;
}

/**
 * Returns the headers of a request, except its length, as a flat list like `rawHeaders`. Node writes such a list unchanged; for an object
 * it checks, copies and looks up the headers, which costs a seventh of a short request.
 */
function headOf({ url, headers }: OutgoingRequest, { proxy }: ConnectionSettings): string[] {
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
  if (authorization !== undefined) head.push("proxy-authorization", authorization);
  return head;
}

function replyOf(answer: IncomingMessage, verb: string): IncomingReply {
  const { statusCode: status = 0, headers } = answer;
  return {
    status,
    headers,
    first: (name) => [headers[name]].flat()[0],
    body: unpackBody(answer, verb, status, headers),
  };
}

// Redirects (RFC 9110, section 15.4).

/** The reference engine follows the same number. */
const mostRedirects = 10;

/** Whether only the original server may receive a header; this includes every header whose name suggests a secret. */
function isPersonal(name: string): boolean {
  return name === "host" || secretNames.test(name);
}

/** Follows redirects from the first response; resolves with the first response that is not a redirect. */
async function follow(
  request: OutgoingRequest,
  first: IncomingReply,
  send: (request: OutgoingRequest) => Promise<IncomingReply>,
): Promise<IncomingReply> {
  let [at, reply] = [request, first];
  for (let hops = 0; ; hops += 1) {
    const next = redirect(at, reply);
    if (next === undefined) return reply;
    discardBody(reply.body);
    if (hops === mostRedirects) throw new GatewayError(502, "The HTTP request was redirected too often");
    reply = await send(next);
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
