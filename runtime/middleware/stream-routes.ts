// Hands requests that match a stream route to the stream.

import type { Endpoint, SocketAdmission, SocketExchange } from "../component.ts";
import { GatewayError } from "../errors.ts";
import { parameterNames } from "../path-table.ts";
import { printPath } from "../request-path.ts";
import type { PathRoutes, StreamRoute } from "../router.ts";
import type { EndpointRole } from "../stream.ts";
import type { Call } from "./call.ts";
import type { Step, StepResult } from "./chain.ts";

/** Finds the part of a stream that serves a route now; `undefined` while it does not run. */
export type FindEndpoint = (
  api: string,
  stream: string,
  role: EndpointRole,
  index: number,
) => Endpoint | undefined;

export interface StreamRoutesOptions {
  readonly findEndpoint: FindEndpoint;
  readonly maxBodyBytes: number;
}

/** The parts of an exchange that do not depend on the transport. */
type ExchangeBase = Pick<
  SocketExchange,
  "request" | "url" | "path" | "params" | "remoteAddress" | "maxBodyBytes"
>;

/** A path that streams serve is theirs for every verb: what none of them takes gets 405. */
export function streamRoutes({ findEndpoint, maxBodyBytes }: StreamRoutesOptions): Step {
  return (call) => {
    const match = call.api?.findRoutes();
    if (call.api === undefined || match === undefined) return "next";
    const { api, rest } = call.api;
    const find = ({ stream, role, index }: StreamRoute) =>
      findEndpoint(api.definition.id, stream, role, index);
    const exchangeFor = (route: StreamRoute) =>
      createExchange(call, printPath(rest), paramsOf(route, match.values), maxBodyBytes);
    return call.transport.kind === "http"
      ? serveRequest(call, match.value, find, exchangeFor)
      : serveSocket(call, match.value, find, exchangeFor);
  };
}

type Find = (route: StreamRoute) => Endpoint | undefined;
type ExchangeFor = (route: StreamRoute) => ExchangeBase;

function serveRequest(
  call: Call,
  routes: PathRoutes,
  find: Find,
  exchangeFor: ExchangeFor,
): StepResult | Promise<StepResult> {
  if (call.transport.kind !== "http") return "next";
  const route = routes.byVerb.get(call.verb);
  if (route === undefined) return refuseVerb(routes);
  const endpoint = find(route);
  if (endpoint?.transport !== "http") return notRunning();
  const { response } = call.transport;
  return endpoint.handle({ ...exchangeFor(route), response }).then(() => "done");
}

function refuseVerb({ byVerb }: PathRoutes): GatewayError {
  if (byVerb.size === 0) {
    return new GatewayError(426, "Upgrade required", { headers: { upgrade: "websocket" } });
  }
  return new GatewayError(405, "Method not allowed", { headers: { allow: [...byVerb.keys()].join(", ") } });
}

function serveSocket(call: Call, { sockets }: PathRoutes, find: Find, exchangeFor: ExchangeFor): StepResult {
  const [first] = sockets;
  if (call.transport.kind !== "websocket" || first === undefined) return "next";
  const { socket, head } = call.transport;
  const exchange: SocketExchange = { ...exchangeFor(first), socket, head };
  const admissions: SocketAdmission[] = [];
  for (const route of sockets) {
    const endpoint = find(route);
    if (endpoint?.transport !== "websocket") return notRunning();
    const admission = endpoint.admit(exchange);
    if (admission instanceof GatewayError) return admission;
    admissions.push(admission);
  }
  const opener = find(first);
  if (opener?.transport !== "websocket") return notRunning();
  opener.upgrade(exchange, admissions);
  return "done";
}

function notRunning(): GatewayError {
  return new GatewayError(503, "Stream is not running", { retryAfter: 1 });
}

function paramsOf(route: StreamRoute, values: readonly string[]): ReadonlyMap<string, string> {
  return new Map(parameterNames(route.endpoint.path).map((name, index) => [name, values[index] ?? ""]));
}

function createExchange(
  call: Call,
  path: string,
  params: ReadonlyMap<string, string>,
  maxBodyBytes: number,
): ExchangeBase {
  const { request, remoteAddress, url } = call;
  return { request, remoteAddress, url, path, params, maxBodyBytes };
}
