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
 * What a step did: passed the request on, answered it (or will, once the caller's turn comes), or refuses
 * it with an error. Refusals are returned and not thrown: they are not exceptions, and far cheaper so.
 */
export type StepResult = "next" | "done" | GatewayError;

/** One thing a request passes. */
export type ChainStep = (call: Call) => StepResult | Promise<StepResult>;

/** An API at work: everything that its requests need, so that one which found it ends under it. */
export interface ServedApi {
  readonly definition: ApiIdentity;
  /** Which pages of other origins may call it. */
  readonly cors: CorsPolicy | undefined;
  /** What requests pass before its streams and its upstream see them. */
  readonly guards: ChainStep;
  /** Where requests go that no stream route takes. */
  readonly upstream: ChainStep | undefined;
}

/** How the client is to be answered. */
export type CallTransport =
  | { readonly kind: "http"; readonly response: ServerResponse }
  | { readonly kind: "websocket"; readonly socket: Duplex; readonly head: Buffer };

/** By what a connection stays open; holds its messages up while that is in doubt. */
export interface CallRight extends MessageGates {
  /** Who has it, as it was judged last. */
  readonly caller: Caller;
  /** Says what of the call a session of its caller does not allow; set by the step that looks at sessions. */
  rule: ((session: KeySession, call: Call) => GatewayError | undefined) | undefined;
  /** By what its caller is counted; set by the step that counts. */
  quotas: CallQuotas | undefined;
  /** Whether the upstream answers without saying how much: such an answer may go on for ever. Set by the proxy. */
  hasEndlessAnswer: boolean;
  /** The socket that passes through to the upstream. Set by the proxy. */
  tunnel: Tunnel | undefined;
  /**
   * Follows the events that the upstream sends, so that the client can be told between two of them why its connection ends.
   * Gives what each piece is handed to; `stop` has the proxy pass nothing on any more.
   */
  follow(stop: () => void): (piece: Buffer) => void;
  /** Has quotas looked at from now on; to be called where one counts a request of its caller. */
  watchQuotas(): void;
}

/** A socket that passes through to an upstream. */
export interface Tunnel {
  /** Ends it at once: with a close frame between two frames, and within one by cutting the connection. */
  end(code: number, reason: string): void;
  /** Closes it as a server that goes away, behind the frames that are under way. */
  leave(reason: string): void;
}

/** The quotas of open connections. */
export interface CallQuotas {
  /** Whether a quota counts the caller of an open connection. */
  isCounted(call: Call): boolean;
  /** For each of `calls`, what refuses its caller's requests, where others used a quota up while it was open. Counts nothing. */
  findUsedUp(calls: readonly Call[]): Promise<readonly (GatewayError | undefined)[]>;
}

/** A request, with what the steps it has passed found out. */
export interface Call {
  readonly request: IncomingMessage;
  readonly transport: CallTransport;
  /** In capitals, as all that the gateway takes. */
  readonly verb: string;
  readonly path: RequestPath;
  /** With its `?`, empty when there is none; authentication takes credentials off it. */
  query: string;
  /** The absolute address that was asked for, as trusted proxies name it; credentials are taken off it, too. */
  readonly url: URL;
  /** Its scheme, host and port (`https://example.com:8443`), for which no address has to be parsed. */
  readonly origin: string;
  /** The client's, by the same word. */
  readonly remoteAddress: string;
  /** Names the request in logs, answers and messages; also its header `X-Request-Id`. */
  readonly requestId: string;
  /** Of the client, where the listener speaks TLS and asks for one. */
  readonly certificate: ClientCertificate | undefined;
  /** Set by the step that matches listen paths. */
  api: FoundApi<ServedApi> | undefined;
  /** Set by the step that serves streams. */
  route?: StreamRoute | undefined;
  /** What an upstream answered to a request for a socket, where it was passed on. */
  passedStatus?: number;
  /** Set by the step that authenticates. */
  caller?: Caller | undefined;
  /** By what its connection stays open, where its caller bears a credential; set by the step that authenticates. */
  right?: CallRight | undefined;
  /** Unix milliseconds until which its API is served; absent: without end. */
  servedUntil?: number;
  /** Header fields, in lower case, in which its API takes credentials; set by the step that authenticates. */
  credentialFields?: readonly string[] | undefined;
  /** Largest body its API takes, in bytes, where that is less than what the gateway takes. */
  maxBodyBytes?: number;
  /** Holds its messages to limits, where it becomes a socket or an event stream. */
  messages?: MessageGates | undefined;
  /** Set by the step that validates, where it had to read the body. */
  body?: ReadBody | undefined;
}

/** The largest body to accept, where the gateway accepts `most` bytes. */
export function bodyLimit({ maxBodyBytes }: Call, most: number): number {
  return Math.min(maxBodyBytes ?? most, most);
}

/** A call of which hardly any step reads the address and the certificate: they are made when one does. */
class ReceivedCall implements Call {
  readonly request: IncomingMessage;
  readonly transport: CallTransport;
  readonly verb: string;
  readonly path: RequestPath;
  query: string;
  api: FoundApi<ServedApi> | undefined = undefined;
  // Fields that are there from the beginning cost less than those that steps add.
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

/**
 * What a request that came from `origin` asks for, as all steps read it; a `GatewayError` where it does not normalise.
 */
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

/** What names an API, to people and to other parts of the gateway. */
export interface ApiIdentity {
  /** Unique in a gateway. */
  readonly id: string;
  readonly name?: string;
  /** Whose it is, where gateways serve several organisations. */
  readonly organisation?: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** Whether attempts to reach it have a line in the log, where the gateway writes any. */
  readonly logged?: boolean;
  /** Names of the streams that may run in every worker; others run in one. */
  readonly spread?: readonly string[];
}
