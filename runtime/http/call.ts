// One request on its way through the gateway.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { CorsPolicy, ReadBody } from "../component/endpoint.ts";
import type { MessageGates } from "../component/message-gates.ts";
import { GatewayError } from "../errors.ts";
import type { Caller, KeySession } from "../keys/session.ts";
import {
  addressOf,
  type NormalisedRequest,
  normaliseRequest,
  type OwnMethodTest,
} from "./incoming/normalise.ts";
import { type ClientCertificate, type RequestOrigin, requestIdOf } from "./request-origin.ts";
import type { RequestPath } from "./request-path.ts";
import type { FoundApi, StreamRoute } from "./router.ts";

/**
 * The result of a step: it passed the request on, it responded (or will, once it is the caller's turn), or it refuses
 * the request with an error. Refusals are returned, not thrown: they are expected, and returning is far cheaper.
 */
export type StepResult = "next" | "done" | GatewayError;

/** One step that a request passes through. */
export type ChainStep = (call: Call) => StepResult | Promise<StepResult>;

/** A running API with everything that its requests need, so that a request ends with the API that it found. */
export interface ServedApi {
  readonly definition: ApiIdentity;
  /** Which pages of other origins may call the API. */
  readonly cors: CorsPolicy | undefined;
  /** The protections that requests pass before the streams and the upstream. */
  readonly guards: ChainStep;
  /** Where requests go that match no stream route. */
  readonly upstream: ChainStep | undefined;
}

/** How to respond to the client. */
export type CallTransport =
  | { readonly kind: "http"; readonly response: ServerResponse }
  | { readonly kind: "websocket"; readonly socket: Duplex; readonly head: Buffer };

/** The right that keeps a connection open; holds messages back while the right is in doubt. */
export interface CallRight extends MessageGates {
  /** The caller, as last evaluated. */
  readonly caller: Caller;
  /** Returns the error if a session of the caller no longer allows the call; set by the step that checks sessions. */
  rule: ((session: KeySession, call: Call) => GatewayError | undefined) | undefined;
  /** Whether what the upstream sends may pass: false while the right is in doubt, and after its end. */
  readonly holds: boolean;
  /** Waits until the right holds; rejects once it has ended, and when `signal` aborts. */
  whenHeld(signal: AbortSignal): Promise<void>;
  /** The quotas that count the caller; set by the step that counts. */
  quotas: CallQuotas | undefined;
  /** Whether the upstream's response has no known length, so that it may never end. Set by the proxy. */
  hasEndlessAnswer: boolean;
  /** The socket that passes through to the upstream. Set by the proxy. */
  tunnel: Tunnel | undefined;
  /**
   * Follows the events that the upstream sends, so that the client can be informed between two events why its connection
   * ends. Returns the function that receives each piece; `stop` makes the proxy pass nothing further on.
   */
  follow(stop: () => void): (piece: Buffer) => void;
  /** Starts to watch the quotas; to be called if a quota counts the caller's request. */
  watchQuotas(): void;
}

/** A socket that passes through to an upstream. */
export interface Tunnel {
  /** Ends the socket immediately: with a close frame between two frames, otherwise by destroying the connection. */
  end(code: number, reason: string): void;
  /** Closes the socket with "going away" after the frames in progress. */
  leave(reason: string): void;
}

/** The quotas of open connections. */
export interface CallQuotas {
  /** Whether a quota counts the caller of an open connection. */
  isCounted(call: Call): boolean;
  /** Returns for each call the error if others have used up its caller's quota meanwhile. Counts nothing. */
  findUsedUp(calls: readonly Call[]): Promise<readonly (GatewayError | undefined)[]>;
}

/** A request, with the results of the steps that it has passed. */
export interface Call {
  readonly request: IncomingMessage;
  readonly transport: CallTransport;
  /** In capitals, like every method that the gateway accepts. */
  readonly verb: string;
  readonly path: RequestPath;
  /** The path as sent. */
  readonly pathText: string;
  /** With its `?`; empty if there is none. Authentication removes credentials from it. */
  query: string;
  /** The absolute URL of the request, as trusted proxies report it; credentials are removed from it, too. */
  readonly url: URL;
  /** Scheme, host and port of the URL (`https://example.com:8443`), available without parsing a URL. */
  readonly origin: string;
  /** The client's address, as trusted proxies report it. */
  readonly remoteAddress: string;
  /** The id of the request in logs, responses and messages; also its header `X-Request-Id`. */
  readonly requestId: string;
  /** The client's certificate, if the listener uses TLS and requests one. */
  readonly certificate: ClientCertificate | undefined;
  /** Set by the step that matches listen paths. */
  api: FoundApi<ServedApi> | undefined;
  /** Set by the step that serves streams. */
  route?: StreamRoute | undefined;
  /** The status of the upstream's response to a WebSocket request, if the request was passed on. */
  passedStatus?: number;
  /** Whether another worker serves the request. That worker reports it, since it knows the caller and any refusal. */
  isPassedOn?: boolean;
  /** Set by the step that authenticates. */
  caller?: Caller | undefined;
  /** The right that keeps the connection open, if the caller has a credential; set by the step that authenticates. */
  right?: CallRight | undefined;
  /** Unix milliseconds until which the API is served; absent if without end. */
  servedUntil?: number;
  /**
   * Names of header fields, in lower case, in which the API accepts credentials; set by the step that authenticates.
   */
  credentialFields?: readonly string[] | undefined;
  /** The largest body that the API accepts, in bytes, if that is less than the gateway accepts. */
  maxBodyBytes?: number;
  /** Applies limits to the messages, if the call becomes a socket or an event stream. */
  messages?: MessageGates | undefined;
  /** Set by the step that validates, if it had to read the body. */
  body?: ReadBody | undefined;
}

/** Returns the largest body to accept, in bytes; `most`: the largest body that the gateway accepts. */
export function bodyLimit({ maxBodyBytes }: Call, most: number): number {
  return Math.min(maxBodyBytes ?? most, most);
}

/** A call that creates its URL and certificate on demand: few steps read them. */
class ReceivedCall implements Call {
  readonly request: IncomingMessage;
  readonly transport: CallTransport;
  readonly verb: string;
  readonly path: RequestPath;
  query: string;
  api: FoundApi<ServedApi> | undefined = undefined;
  // Fields that exist from the beginning cost less than fields that steps add.
  route: StreamRoute | undefined = undefined;
  caller: Caller | undefined = undefined;
  right: CallRight | undefined = undefined;
  credentialFields: readonly string[] | undefined = undefined;
  messages: MessageGates | undefined = undefined;
  body: ReadBody | undefined = undefined;
  readonly #normalised: NormalisedRequest;
  readonly #origin: RequestOrigin;
  #url: URL | undefined = undefined;

  constructor(
    request: IncomingMessage,
    transport: CallTransport,
    normalised: NormalisedRequest,
    origin: RequestOrigin,
  ) {
    this.request = request;
    this.transport = transport;
    this.verb = normalised.method;
    this.path = normalised.path;
    this.query = normalised.query;
    this.#normalised = normalised;
    this.#origin = origin;
  }

  get pathText(): string {
    return this.#normalised.pathText;
  }

  get url(): URL {
    const { origin, pathText } = this.#normalised;
    this.#url ??= addressOf({ origin, pathText, query: this.query });
    return this.#url;
  }

  get requestId(): string {
    return requestIdOf(this.request) ?? "";
  }

  get origin(): string {
    return this.#normalised.origin;
  }

  get remoteAddress(): string {
    return this.#origin.remoteAddress;
  }

  get certificate(): ClientCertificate | undefined {
    return this.#origin.certificate;
  }
}

/** Creates the call of a request from `origin`; returns a `GatewayError` if the request cannot be normalised. */
export function createCall(
  request: IncomingMessage,
  transport: CallTransport,
  origin: RequestOrigin,
  isOwnMethod?: OwnMethodTest,
): Call | GatewayError {
  const normalised = normaliseRequest(request, origin, isOwnMethod);
  if (normalised === undefined) return new GatewayError(400, "Bad request");
  return new ReceivedCall(request, transport, normalised, origin);
}

/** The names of an API, for people and for other parts of the gateway. */
export interface ApiIdentity {
  /** Unique in a gateway. */
  readonly id: string;
  readonly name?: string;
  /** The owner, if gateways serve several organisations. */
  readonly organisation?: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** Whether calls are logged, if the gateway logs calls. */
  readonly logged?: boolean;
  /** Names of the streams that may run in every worker; the others run in one. */
  readonly spread?: readonly string[];
}
