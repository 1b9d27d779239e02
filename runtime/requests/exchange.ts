// One request and its answer, by Node's own client: it takes every method with a body and every port.

import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as encryptedRequest } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { unpackersOf } from "../message/content-encoding.ts";
import { type ConnectionSettings, type Connections, createConnections } from "./connections.ts";
import { follow } from "./redirects.ts";
import type { IncomingReply, OutgoingRequest, Send } from "./request.ts";

/** Sends requests over connections it keeps. */
export interface Exchanger {
  /** Follows redirects; gives the answer at the end of the way. */
  readonly send: Send;
  /** Ends the connections. */
  close(): void;
}

/** Opens nothing before the first request. */
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
  signal: AbortSignal,
): Promise<IncomingReply> {
  const { url, verb, headers, body } = request;
  const isEncrypted = url.protocol === "https:";
  const options: RequestOptions = {
    ...addressee(url, settings),
    method: verb,
    headers: { ...Object.fromEntries(withDefaults(headers, body)), ...proxyHeaders(url, settings) },
    agent: connections.agentFor(url.protocol),
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = isEncrypted ? encryptedRequest(options) : plainRequest(options);
    outgoing.once("error", reject);
    outgoing.once("response", (answer) => resolve(replyOf(answer, verb)));
    const finish = () => outgoing.end(body);
    if (headers.get("expect")?.toLowerCase() !== "100-continue") finish();
    else {
      // A server that says nothing is sent the body all the same, as servers from before the header need it.
      const patience = setTimeout(finish, settings.transport.expect_continue_timeout);
      outgoing.once("continue", finish);
      outgoing.once("close", () => clearTimeout(patience));
      outgoing.once("continue", () => clearTimeout(patience));
      outgoing.flushHeaders();
    }
  });
}

/** Who the bytes go to: the server, or for plain requests the proxy, which is told the whole address. */
function addressee(url: URL, { proxy }: ConnectionSettings): RequestOptions {
  const isProxied = proxy !== undefined && url.protocol === "http:";
  const { hostname, port } = isProxied ? proxy.url : url;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port || (url.protocol === "https:" ? 443 : 80),
    path: isProxied ? url.href.replace(/#.*$/s, "") : `${url.pathname}${url.search}`,
  };
}

function proxyHeaders(url: URL, { proxy }: ConnectionSettings): Readonly<Record<string, string>> {
  if (proxy?.authorization === undefined || url.protocol !== "http:") return {};
  return { "proxy-authorization": proxy.authorization };
}

function withDefaults(
  headers: ReadonlyMap<string, string>,
  body: Uint8Array | undefined,
): ReadonlyMap<string, string> {
  return new Map([
    ["accept", "*/*"],
    ["accept-encoding", "gzip, deflate, br"],
    ["user-agent", "sluice"],
    ...headers,
    ...(body === undefined ? [] : [["content-length", String(body.byteLength)] as const]),
  ]);
}

function replyOf(answer: IncomingMessage, verb: string): IncomingReply {
  const { statusCode: status = 0, headers } = answer;
  // Such an answer may name an encoding of the body it would have.
  const isBare = verb === "HEAD" || status === 204 || status === 304;
  return { status, headers, body: isBare ? answer : unpack(answer) };
}

function unpack(answer: IncomingMessage): Readable {
  const unpackers = unpackersOf(answer.headers["content-encoding"]);
  if (unpackers === undefined || unpackers.length === 0) return answer; // packed in a way that only the author knows
  const last = unpackers.at(-1) ?? answer;
  // Whoever reads the last stream learns of a failure of any of them.
  pipeline([answer, ...unpackers], () => undefined);
  return last as Readable;
}
