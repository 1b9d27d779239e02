// Passes requests that match a stream route to the stream.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type {
  HttpEndpoint,
  HttpExchange,
  ReadBody,
  SocketAdmission,
  SocketEndpoint,
  SocketExchange,
} from "../component/endpoint.ts";
import type { MessageGates } from "../component/message-gates.ts";
import { GatewayError } from "../errors.ts";
import type { ChainStep, ServedApi, StepResult } from "../http/call.ts";
import { bodyLimit, type Call } from "../http/call.ts";
import { pathnameOf } from "../http/incoming/normalise.ts";
import { printPath } from "../http/request-path.ts";
import type { FoundApi, PathRoutes, RouteServer, StreamRoute } from "../http/router.ts";
import type { Caller } from "../keys/session.ts";
import type { RequestSource } from "../stream/instances/request-variables.ts";
import type { StreamManager } from "../stream/stream-manager.ts";

/** Finds the stream that serves a request, as `StreamManager.find`. */
export type FindStream = StreamManager["find"];

export interface StreamRoutesOptions {
  readonly findStream: FindStream;
  readonly maxBodyBytes: number;
  readonly maxFrameBytes: number;
}

/** Returns the step. A path with stream routes belongs to the streams for every verb: other verbs get 405. */
export function streamRoutes({ findStream, maxBodyBytes, maxFrameBytes }: StreamRoutesOptions): ChainStep {
  return (call) => {
    const found = call.api;
    const routes = found?.routes;
    if (found === undefined || routes === undefined) return "next";
    const route = routeOf(call, found, routes);
    if (route === undefined || route instanceof GatewayError) return route ?? "next";
    call.route = route;
    const exchange = new Exchange(call, found, route, bodyLimit(call, maxBodyBytes), maxFrameBytes);
    const known = route.server?.endpoint(route);
    if (known?.transport === "http") return pass(exchange, known);
    const served = findStream(found.api.definition, route, exchange);
    if (!(served instanceof Promise)) {
      route.server = served?.stream;
      return serveBy(served?.stream, call, routes, route, exchange);
    }
    releaseAtEnd(call, served);
    return served.then(({ stream }) => serveBy(stream, call, routes, route, exchange));
  };
}

/** A call to a route; computes on demand what few endpoints read. */
class Exchange implements HttpExchange, SocketExchange, RequestSource {
  readonly request: IncomingMessage;
  readonly remoteAddress: string;
  readonly maxBodyBytes: number;
  readonly maxFrameBytes: number;
  readonly #call: Call;
  readonly #found: FoundApi<ServedApi>;
  readonly #route: StreamRoute;
  #params: ReadonlyMap<string, string> | undefined;

  constructor(
    call: Call,
    found: FoundApi<ServedApi>,
    route: StreamRoute,
    maxBodyBytes: number,
    maxFrameBytes: number,
  ) {
    this.request = call.request;
    this.remoteAddress = call.remoteAddress;
    this.maxBodyBytes = maxBodyBytes;
    this.maxFrameBytes = maxFrameBytes;
    this.#call = call;
    this.#found = found;
    this.#route = route;
  }

  get url(): URL {
    return this.#call.url;
  }

  get pathname(): string {
    return pathnameOf(this.#call.pathText);
  }

  get query(): string {
    return this.#call.query;
  }

  get path(): string {
    return printPath(this.#found.rest);
  }

  get params(): ReadonlyMap<string, string> {
    this.#params ??= paramsOf(this.#found, this.#route);
    return this.#params;
  }

  get caller(): Caller | undefined {
    return this.#call.caller;
  }

  get messages(): MessageGates | undefined {
    return this.#call.messages;
  }

  get body(): ReadBody | undefined {
    return this.#call.body;
  }

  get response(): ServerResponse {
    const { transport } = this.#call;
    if (transport.kind !== "http") throw new Error("an upgrade has no response");
    return transport.response;
  }

  get socket(): Duplex {
    return this.#upgrade.socket;
  }

  get head(): Buffer {
    return this.#upgrade.head;
  }

  get #upgrade() {
    const { transport } = this.#call;
    if (transport.kind !== "websocket") throw new Error("a plain request has no socket of its own");
    return transport;
  }
}

/** Returns the path parameters of a request by their names. */
function paramsOf({ routes, values }: FoundApi<ServedApi>, route: StreamRoute): ReadonlyMap<string, string> {
  const names = routes?.parameterNames?.get(route) ?? [];
  return new Map(names.map((name, index) => [name, values[index] ?? ""]));
}

/** Returns the route for the verb; for WebSockets the first route, as all of them belong to one stream. */
function routeOf(
  { transport, verb }: Call,
  found: FoundApi<ServedApi>,
  routes: PathRoutes,
): StreamRoute | GatewayError | undefined {
  if (transport.kind === "websocket") return routes.sockets[0];
  if (found.route === undefined || found.verb !== verb) {
    found.route = routes.byVerb.get(verb);
    found.verb = verb;
  }
  return found.route ?? refuseVerb(routes);
}

/** Releases the instance when the connection of its client ends, for whatever reason. */
function releaseAtEnd({ transport }: Call, lease: Promise<{ release(): void }>): void {
  const connection = transport.kind === "http" ? transport.response : transport.socket;
  // Without a lease there is nothing to release; the client gets the reason.
  const release = () => lease.then((taken) => taken.release()).catch(() => undefined);
  if (connection.destroyed) release();
  else connection.once("close", release);
}

function serveBy(
  stream: RouteServer | undefined,
  call: Call,
  routes: PathRoutes,
  route: StreamRoute,
  exchange: Exchange,
): StepResult | Promise<StepResult> {
  if (call.transport.kind === "websocket") return serveSocket(exchange, routes, stream);
  const endpoint = stream?.endpoint(route);
  return endpoint?.transport === "http" ? pass(exchange, endpoint) : notRunning();
}

function pass(exchange: HttpExchange, endpoint: HttpEndpoint): StepResult | Promise<StepResult> {
  const handled = endpoint.handle(exchange);
  return handled === undefined ? "done" : handled.then(() => "done");
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
  stream: RouteServer | undefined,
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
