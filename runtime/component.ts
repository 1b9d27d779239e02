// What inputs, processors and outputs are to the stream that holds them.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { BeginBlockage, Blockage } from "./conditions/blockage.ts";
import type { BeginOutage } from "./conditions/conditions.ts";
import type { CorsPolicy } from "./cors.ts";
import type { DeliveryScope } from "./delivery-scope.ts";
import type { GatewayError } from "./errors.ts";
import type { Logger } from "./log.ts";
import type { Hold } from "./memory/body-budget.ts";
import type { Batch } from "./message.ts";
import type { MessageGates } from "./message-gates.ts";
import type { Position, Positions } from "./positions.ts";
import type { StreamParts } from "./stream-parts.ts";

/** What is known once a batch is confirmed by everything it went to. */
export interface Delivered {
  /** The reply for a caller that waits, where the stream makes one. */
  readonly response?: Batch;
}

/** What every component is given when its stream starts. */
export interface ComponentContext {
  /** Carries the stream's name and the component's path; never log message content or secrets. */
  readonly log: Logger;
  /**
   * Aborted when the stream is to stop: take nothing new, finish what is in flight. Where only this component is closed,
   * since another takes its place, it is aborted after that.
   */
  readonly signal: AbortSignal;
  /** Begins the loss of a connection after the start; operators see the stream failed until it ends. */
  readonly beginOutage?: BeginOutage;
  /** Aborted when nothing new comes from the input any more: what collects messages hands on what it has. */
  readonly draining?: AbortSignal;
  /** The stream delivers messages that a processor failed on all the same (`error_handling.strategy: none`). */
  readonly deliversFailed?: boolean;
  /** The way of the batch at hand, for steps of a pipeline. */
  readonly delivery?: DeliveryScope;
  /** Is the same for all streams of a gateway, and for no other: what they share is found by it. */
  readonly gateway?: object;
  /** Whose stream it is; names that streams share mean nothing to those of another organisation. */
  readonly organisation?: string | undefined;
  /** What an output can ask of the stream's input, where its messages can be read again. */
  readonly source?: StreamSource;
}

/** The source of a stream, for outputs whose clients come back to where they were. */
export interface StreamSource {
  /** As `InputPositions.undelivered`; `undefined` while nothing is read. */
  undelivered(isHanded: (position: Position) => boolean): Positions | undefined;
  /** Counts up when another input takes over, which may read something else. */
  readonly generation: number;
  /** The stream's name. */
  readonly stream: string;
  /** Unstarted parts to run the stream a second time with. */
  createAgain(): StreamParts;
  /** The context of such a run, which ends with the stream or by `signal`. */
  contextOf(component: string, signal: AbortSignal): ComponentContext;
}

/** What an input is given besides. */
export interface InputContext extends ComponentContext {
  /**
   * Hands a batch to the pipeline. Resolves once every output has confirmed it (or it was dropped on
   * purpose); rejects with a `GatewayError` when it was not delivered. Only then may the input
   * acknowledge, retry or refuse. The input bounds how many deliveries it has in flight.
   */
  deliver(batch: Batch): Promise<Delivered>;
  /** Begins to be held up by a batch that cannot be delivered; operators see the stream blocked until it ends. */
  readonly beginBlockage: BeginBlockage;
  /** Reports a batch that was refused and that this input does not deliver again: its caller is answered, or the input ends. */
  reportRefused?(refused: Blockage): void;
  /**
   * Rejected deliveries after which an input that retries gives the batch up: acknowledges and logs it.
   * Absent or 0: it retries without end.
   */
  readonly maxAttempts?: number;
  /**
   * Takes a batch after its last attempt: to the dead-letter output where the stream has one, else to the
   * log alone. Resolves when the batch may be acknowledged; rejects when it could not be taken either.
   */
  giveUp?(batch: Batch, failure: GatewayError): Promise<void>;
  /** Counts messages that were refused and are handed over again, or asked for again. */
  countRetry?(messages: number): void;
  /**
   * Tells that the input has given all there ever is, and that all of it is confirmed. The stream then closes
   * it and starts no other.
   */
  reportEnd?(): void;
}

/**
 * Where messages come from. One instance lives from one `start` to one `close`, also when `start` failed:
 * each further attempt, and each start on demand, gets a new instance from the stream's factory.
 */
export interface Input {
  /**
   * Connects and begins to read; resolves once reading. Later losses of the connection are its own to
   * repair. Rejects with a `GatewayError` when the first connection cannot be made; the stream tries again.
   */
  start(context: InputContext): Promise<void>;
  /** Stops reading, waits for deliveries in flight, acknowledges them, disconnects. Safe to call twice. */
  close(): Promise<void>;
  /** Routes it serves below the listen path of its API. */
  readonly endpoints?: readonly Endpoint[];
  /**
   * Messages that wait at the source for this input, or are under way, as far as it was told with the latest ones;
   * `undefined` where it does not know. Asked at any time after `start`.
   */
  lag?(): number | undefined;
  /** Present where what was read can be read again from a position. */
  readonly positions?: InputPositions;
  /** Everything comes by its routes, so that another may serve beside it while it finishes. */
  readonly isServer?: boolean;
}

/** Positions of an input that reads. */
export interface InputPositions {
  /**
   * The oldest of each part that is not delivered yet, passing over those of which `isHanded` says so; `undefined` while
   * it is not known of every part. What `isHanded` has said yes of it need not be asked again.
   */
  undelivered(isHanded?: (position: Position) => boolean): Positions | undefined;
  /** An input that reads the same from there on, by itself: it acknowledges nothing and takes nothing from others. */
  from(positions: Positions): ReplayInput;
}

/** An input that reads again what was read. */
export interface ReplayInput extends Input {
  /** As `InputPositions.undelivered`. */
  undelivered(isHanded?: (position: Position) => boolean): Positions | undefined;
  /** Where the source ends now: after its newest message of each part. */
  ends(): Promise<Positions>;
  /** Whether it hands over several messages at a time, of which one may be made; other readers group them otherwise. */
  readonly collects?: boolean;
}

/** Where messages go. */
export interface Output {
  /** Connects; as `Input.start`. */
  start(context: ComponentContext): Promise<void>;
  /**
   * Resolves once the other side has confirmed every message of the batch; rejects with a
   * `GatewayError` when at least one was not. May be called while earlier writes are in flight; what is
   * written in order to one destination arrives in that order.
   */
  write(batch: Batch): Promise<Delivered>;
  /** Finishes writes in flight and disconnects. Safe to call twice. */
  close(): Promise<void>;
  readonly endpoints?: readonly Endpoint[];
  /**
   * Whether message `index` of `batch`, on which a processor failed, is meant to come here. Absent: none is,
   * and the gate in front of the output holds them up.
   */
  takesFailed?(batch: Batch, index: number): boolean;
  /** Present where messages only leave while somebody asks for them, such as connected clients. */
  readonly demand?: Demand;
}

/** Whether anybody wants messages now. */
export interface Demand {
  readonly wanted: boolean;
  /** Calls `listener` at each change of `wanted`; gives back how to stop that. */
  onChange(listener: () => void): () => void;
  /** How many ask now, for operators. */
  readonly clients?: number;
  /**
   * Refuses the writes that wait because nobody is there, and further ones until somebody comes, so that
   * the input can leave its broker. The output goes on.
   */
  release?(): void;
}

/** A step of a pipeline. */
export interface Processor {
  /**
   * Gives the batches that go on, in order; none when everything was dropped. A message the step fails
   * on is passed on unchanged but for its `failure`. Synchronous where it can be.
   */
  process(batch: Batch, context: ComponentContext): readonly Batch[] | Promise<readonly Batch[]>;
  close?(): Promise<void>;
}

/** Text of a field that takes `${! … }`: fixed, or computed from a message; throws `MappingError`. */
export type Text = string | ComputedText;

/** Gives the text for message `index` of `batch`. */
export interface ComputedText {
  (batch: Batch, index: number): string;
  /** What is fixed at its beginning, as far as that is known. */
  readonly beginning?: string;
}

/** The text for message `index` of `batch`. */
export function textOf(text: Text, batch: Batch, index: number): string {
  return typeof text === "string" ? text : text(batch, index);
}

/** One text after the other; fixed when all are. */
export function joinText(...parts: readonly Text[]): Text {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  const joined = (batch: Batch, index: number) => parts.map((part) => textOf(part, batch, index)).join("");
  const [first] = parts;
  return typeof first === "string" ? Object.assign(joined, { beginning: first }) : joined;
}

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
  /** Whom its requests join, where it is of an output. */
  readonly clients?: ClientsOfEndpoint;
  /** Answers the request. A rejection with a `GatewayError` is answered as such by the caller. */
  handle(exchange: HttpExchange): Promise<void>;
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
  /** Whom its sockets join, where it is of an output. */
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
  attach(socket: WebSocket): void;
}

/**
 * Opens the socket with the widest limits of `admissions` and attaches it to each; where the request is no handshake, says
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
  readonly messages?: MessageGates;
}

export interface HttpExchange extends ExchangeBase {
  /** The body, unpacked, where somebody has read it already; then there is nothing left to read. */
  readonly body?: Buffer | undefined;
  /** What it takes of the memory of the process; present with it. */
  readonly bodyHold?: Hold | undefined;
  readonly response: ServerResponse;
}

export interface SocketExchange extends ExchangeBase {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Largest message to accept from a socket, in bytes. */
  readonly maxFrameBytes: number;
}
