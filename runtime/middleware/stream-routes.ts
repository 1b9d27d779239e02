// Hands requests that match a stream route to the stream.

import type { SocketAdmission, SocketEndpoint, SocketExchange } from "../component/endpoint.ts";
import { GatewayError } from "../errors.ts";
import type { ChainStep, StepResult } from "../http/call.ts";
import { bodyLimit, type Call } from "../http/call.ts";
import { parameterNames } from "../http/path-table.ts";
import { printPath } from "../http/request-path.ts";
import type { PathRoutes, StreamRoute } from "../http/router.ts";
import type { Stream } from "../stream/stream.ts";
import type { StreamManager } from "../stream/stream-manager.ts";

/** Finds the stream that serves a request, as `StreamManager.find`. */
export type FindStream = StreamManager["find"];

export interface StreamRoutesOptions {
  readonly findStream: FindStream;
  readonly maxBodyBytes: number;
  readonly maxFrameBytes: number;
}

/** The parts of an exchange that do not depend on the transport. */
type ExchangeBase = Pick<
  SocketExchange,
  "request" | "url" | "path" | "params" | "remoteAddress" | "maxBodyBytes" | "maxFrameBytes" | "messages"
>;

/** A path that streams serve is theirs for every verb: what none of them takes gets 405. */
export function streamRoutes({ findStream, maxBodyBytes, maxFrameBytes }: StreamRoutesOptions): ChainStep {
  return (call) => {
    const match = call.api?.findRoutes();
    if (call.api === undefined || match === undefined) return "next";
    const { api, rest } = call.api;
    const route = routeOf(call, match.value);
    if (route === undefined || route instanceof GatewayError) return route ?? "next";
    call.route = route;
    const { request, remoteAddress, url, messages } = call;
    const exchange = {
      ...{ request, remoteAddress, url, maxFrameBytes },
      ...{ path: printPath(rest), params: paramsOf(route, match.values) },
      maxBodyBytes: bodyLimit(call, maxBodyBytes),
      ...(messages !== undefined && { messages }),
    };
    const source = { ...exchange, ...(call.caller === undefined ? {} : { caller: call.caller }) };
    const found = findStream(api.definition.id, route.stream, source);
    const serve = (stream: Stream | undefined) => serveBy(stream, call, match.value, route, exchange);
    if (!(found instanceof Promise)) return serve(found?.stream);
    releaseAtEnd(call, found);
    return found.then(({ stream }) => serve(stream));
  };
}

/** The route for the verb, or the first of those for sockets, which are all of one stream. */
function routeOf(call: Call, routes: PathRoutes): StreamRoute | GatewayError | undefined {
  if (call.transport.kind === "websocket") return routes.sockets[0];
  return routes.byVerb.get(call.verb) ?? refuseVerb(routes);
}

/** The instance is in use until the connection of its client ends, however that comes. */
function releaseAtEnd({ transport }: Call, lease: Promise<{ release(): void }>): void {
  const connection = transport.kind === "http" ? transport.response : transport.socket;
  // Without a lease there is nothing to give back; why there is none is told to the client.
  const release = () => lease.then((taken) => taken.release()).catch(() => undefined);
  if (connection.destroyed) release();
  else connection.once("close", release);
}

function serveBy(
  stream: Stream | undefined,
  call: Call,
  routes: PathRoutes,
  route: StreamRoute,
  exchange: ExchangeBase,
): StepResult | Promise<StepResult> {
  const { transport } = call;
  if (transport.kind === "websocket") {
    return serveSocket({ ...exchange, socket: transport.socket, head: transport.head }, routes, stream);
  }
  const endpoint = stream?.endpoint(route);
  if (endpoint?.transport !== "http") return notRunning();
  const { body, bodyHold } = call;
  return endpoint.handle({ ...exchange, response: transport.response, body, bodyHold }).then(() => "done");
}

function refuseVerb({ byVerb }: PathRoutes): GatewayError {
  if (byVerb.size === 0) {
    return new GatewayError(426, "Upgrade required", { headers: { upgrade: "websocket" } });
  }
  return new GatewayError(405, "Method not allowed", { headers: { allow: [...byVerb.keys()].join(", ") } });
}

function serveSocket(
  exchange: SocketExchange,
  { sockets }: PathRoutes,
  stream: Stream | undefined,
): StepResult {
  const admissions: SocketAdmission[] = [];
  let opener: SocketEndpoint | undefined;
  for (const route of sockets) {
    const endpoint = stream?.endpoint(route);
    if (endpoint?.transport !== "websocket") return notRunning();
    const admission = endpoint.admit(exchange);
    if (admission instanceof GatewayError) return admission;
    admissions.push(admission);
    opener ??= endpoint;
  }
  return opener?.upgrade(exchange, admissions) ?? "done";
}

function notRunning(): GatewayError {
  return new GatewayError(503, "Stream is not running", { retryAfter: 1 });
}

function paramsOf(route: StreamRoute, values: readonly string[]): ReadonlyMap<string, string> {
  return new Map(parameterNames(route.endpoint.path).map((name, index) => [name, values[index] ?? ""]));
}
