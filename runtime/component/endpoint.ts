// The routes that components serve, and the requests that their handlers receive.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { GatewayError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import type { Hold } from "../process/memory/body-budget.ts";
import type { MessageGates } from "./message-gates.ts";

/** The part of a stream that an endpoint belongs to. */
export type EndpointRole = "input" | "output" | "dead_letter";

/** A route that a component serves. */
export type Endpoint = HttpEndpoint | SocketEndpoint;

/** The connected clients of an output; a later version of the output can continue with them. */
export interface ClientsOfEndpoint {
  /** Takes over the clients of `other`; returns false and changes nothing if they are of another kind. */
  takeOver(other: ClientsOfEndpoint): boolean;
}

/** A route for plain requests. `path` may contain `{name}` parameters; a trailing `/` serves all paths below it. */
export interface HttpEndpoint {
  readonly transport: "http";
  readonly verbs: readonly string[];
  readonly path: string;
  /** Which pages of other origins may call the route; replaces the rules of its API. */
  readonly cors?: CorsPolicy | undefined;
  /** The clients that its requests join, if the endpoint belongs to an output. */
  readonly clients?: ClientsOfEndpoint;
  /**
   * Responds to the request, immediately or later. If it throws a `GatewayError`, or its promise rejects with one, the
   * caller sends that error as the response.
   */
  handle(exchange: HttpExchange): Promise<void> | undefined;
}

/**
 * A route for WebSocket upgrades. The input and the output of one stream may share a path: a client then has one socket
 * that serves both.
 */
export interface SocketEndpoint {
  readonly transport: "websocket";
  readonly path: string;
  /** Opens sockets. It is part of the endpoint so that a gateway without sockets contains no code for them. */
  readonly upgrade: SocketUpgrade;
  /** The clients that its sockets join, if the endpoint belongs to an output. */
  readonly clients?: ClientsOfEndpoint;
  /**
   * Returns how to serve this client, or why it is refused. All endpoints of a path are called before the socket
   * opens.
   */
  admit(exchange: SocketExchange): SocketAdmission | GatewayError;
}

/** The settings with which an endpoint serves one client. */
export interface SocketAdmission {
  /** The largest frame that it accepts from the client, in bytes. */
  readonly maxFrameBytes: number;
  /** Milliseconds between pings. */
  readonly pingPeriod: number;
  /** Milliseconds without any data from the client after which it counts as disconnected. */
  readonly pongWait: number;
  /** Begins to serve the open socket. */
  attach(socket: WebSocket, connection: Duplex): void;
}

/**
 * Opens the socket with the widest limits of `admissions` and attaches it to each of them; returns a `GatewayError` if
 * the request is not a valid handshake.
 */
export type SocketUpgrade = (
  exchange: SocketExchange,
  admissions: readonly SocketAdmission[],
) => GatewayError | undefined;

interface ExchangeBase {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** The path of `url`, available without parsing a URL. */
  readonly pathname: string;
  /** The query of `url` with its `?`; empty if there is none. Available without parsing a URL. */
  readonly query: string;
  /** The path below the listen path of the API. */
  readonly path: string;
  /** The path parameters, percent-decoded. */
  readonly params: ReadonlyMap<string, string>;
  /** The client's address; behind trusted proxies, the address that they report. */
  readonly remoteAddress: string;
  /** The largest body to accept, in bytes. */
  readonly maxBodyBytes: number;
  /** The limits on the messages of the connection; absent if they are not limited. */
  readonly messages?: MessageGates | undefined;
}

export interface HttpExchange extends ExchangeBase {
  /** The body, if a protection has already read it. */
  readonly body?: ReadBody | undefined;
  readonly response: ServerResponse;
}

/** A body that a protection has read; nothing of the request is left to read. */
export interface ReadBody {
  /** The decompressed body. */
  readonly bytes: Buffer;
  /** The memory of the process that the body occupies. */
  readonly hold: Hold;
  /**
   * The parsed document of a message with this content, if the body had to be parsed. The component that creates the
   * message removes it from here: a parsed body takes many times its size.
   */
  document?: Value | undefined;
}

export interface SocketExchange extends ExchangeBase {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** The largest message to accept from a socket, in bytes. */
  readonly maxFrameBytes: number;
}

/** The headers that a response carries for a page of another origin. */
export type CorsHeaders = Readonly<Record<string, string>>;

/** The CORS rules of an API or of one endpoint. */
export interface CorsPolicy {
  /** Whether pages of this origin may call the route. */
  allows(origin: string): boolean;
  /**
   * Returns the headers of a response to a page of this origin; for an origin that is not allowed, no header that
   * permits reading.
   */
  answer(origin: string): CorsHeaders;
  /**
   * Returns the headers of the response to a preflight request; if the origin is not allowed, no header that permits
   * the request.
   */
  preflight(origin: string, request: IncomingMessage): CorsHeaders;
  /** Whether preflight requests are passed to the upstream, with these headers. */
  readonly passesPreflights: boolean;
  /** Whether each decision is logged. */
  readonly isLogged: boolean;
}

/** Whether requests for one endpoint may be served by the other. */
export function isSameRoute(endpoint: Endpoint, declared: Endpoint): boolean {
  if (endpoint === declared) return true;
  if (endpoint.path !== declared.path) return false;
  if (endpoint.transport === "websocket") return declared.transport === "websocket";
  return declared.transport === "http" && declared.verbs.some((verb) => endpoint.verbs.includes(verb));
}
