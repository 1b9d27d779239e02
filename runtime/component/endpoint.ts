// The routes that components serve, and what their handlers are given.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { GatewayError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import type { Hold } from "../process/memory/body-budget.ts";
import type { MessageGates } from "./message-gates.ts";

/** Which part of a stream an endpoint belongs to. */
export type EndpointRole = "input" | "output" | "dead_letter";

/** A route a component serves. */
export type Endpoint = HttpEndpoint | SocketEndpoint;

/** The connected clients of an output; a later version of it can go on with them. */
export interface ClientsOfEndpoint {
  /** Goes on with those of `other`; false, and nothing has changed, where they are of another kind. */
  takeOver(other: ClientsOfEndpoint): boolean;
}

/** A route for plain requests. `path` may hold `{name}` parameters; a trailing `/` serves all below it. */
export interface HttpEndpoint {
  readonly transport: "http";
  readonly verbs: readonly string[];
  readonly path: string;
  /** Which pages of other origins may call it, in place of what its API says. */
  readonly cors?: CorsPolicy | undefined;
  /** The clients that its requests join, where it is of an output. */
  readonly clients?: ClientsOfEndpoint;
  /**
   * Answers the request, now or later. Where it throws, or the promise that it gives rejects, with a `GatewayError`, the
   * caller answers with that.
   */
  handle(exchange: HttpExchange): Promise<void> | undefined;
}

/**
 * A route for WebSocket upgrades. The input and the output of one stream may share a path: a client then
 * has one socket that serves both.
 */
export interface SocketEndpoint {
  readonly transport: "websocket";
  readonly path: string;
  /** Opens sockets. It comes with the endpoint so that a gateway without sockets carries no code for them. */
  readonly upgrade: SocketUpgrade;
  /** The clients that its sockets join, where it is of an output. */
  readonly clients?: ClientsOfEndpoint;
  /** Says how this client is to be served, or why not. All endpoints of a path are asked before it opens. */
  admit(exchange: SocketExchange): SocketAdmission | GatewayError;
}

/** How an endpoint serves one client. */
export interface SocketAdmission {
  /** Largest frame it accepts from the client. */
  readonly maxFrameBytes: number;
  /** Milliseconds between pings. */
  readonly pingPeriod: number;
  /** Milliseconds without a sign of life after which the client counts as gone. */
  readonly pongWait: number;
  /** Takes the open socket into service. */
  attach(socket: WebSocket, connection: Duplex): void;
}

/**
 * Opens the socket with the widest limits of `admissions` and attaches it to each; where the request is not a handshake, says
 * so instead.
 */
export type SocketUpgrade = (
  exchange: SocketExchange,
  admissions: readonly SocketAdmission[],
) => GatewayError | undefined;

interface ExchangeBase {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** Path below the listen path of the API. */
  readonly path: string;
  /** Path parameters, percent-decoded. */
  readonly params: ReadonlyMap<string, string>;
  /** The client's address; behind trusted proxies, the one they name. */
  readonly remoteAddress: string;
  /** Largest body to accept, in bytes. */
  readonly maxBodyBytes: number;
  /** Present where its messages are held to limits. */
  readonly messages?: MessageGates | undefined;
}

export interface HttpExchange extends ExchangeBase {
  /** The body, where a protection has read it already. */
  readonly body?: ReadBody | undefined;
  readonly response: ServerResponse;
}

/** A body that a protection has read: the request has nothing left to read. */
export interface ReadBody {
  /** Unpacked. */
  readonly bytes: Buffer;
  /** What it takes of the memory of the process. */
  readonly hold: Hold;
  /**
   * The document of a message with this content, where the body had to be parsed. The component that makes the message takes it
   * away: parsed, a body takes many times its size.
   */
  document?: Value | undefined;
}

export interface SocketExchange extends ExchangeBase {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Largest message to accept from a socket, in bytes. */
  readonly maxFrameBytes: number;
}

/** Headers that an answer carries for a page of another origin. */
export type CorsHeaders = Readonly<Record<string, string>>;

/** The rules of an API or of one endpoint. */
export interface CorsPolicy {
  /** Whether pages of that origin may call at all. */
  allows(origin: string): boolean;
  /** What an answer says to a page of that origin; to one that may not call, nothing that lets it read. */
  answer(origin: string): CorsHeaders;
  /** What the question before a request is answered with; nothing that lets it through, where it may not. */
  preflight(origin: string, request: IncomingMessage): CorsHeaders;
  /** Whether such questions go on to the upstream, with these headers. */
  readonly passesPreflights: boolean;
  /** Whether the log tells each decision. */
  readonly isLogged: boolean;
}

/** Whether requests for one may be served by the other. */
export function isSameRoute(endpoint: Endpoint, declared: Endpoint): boolean {
  if (endpoint.path !== declared.path) return false;
  if (endpoint.transport === "websocket") return declared.transport === "websocket";
  return declared.transport === "http" && declared.verbs.some((verb) => endpoint.verbs.includes(verb));
}
