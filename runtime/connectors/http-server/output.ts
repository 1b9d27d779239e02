import type { ServerResponse } from "node:http";
import { ClientPool } from "../../clients/client-pool.ts";
import { OutputClients } from "../../clients/output-clients.ts";
import { StallGuard } from "../../clients/stall-guard.ts";
import { type Confirmable, confirmSoon, hasLeft } from "../../clients/turn.ts";
import { type Clients, gatedClients } from "../../component/clients.ts";
import type { Output } from "../../component/component.ts";
import type {
  Endpoint,
  HttpEndpoint,
  HttpExchange,
  SocketEndpoint,
  SocketUpgrade,
} from "../../component/endpoint.ts";
import type { Join, PoolClient, PoolMembership, Receipt } from "../../component/message-gates.ts";
import { Limited, TimeLimits } from "../../concurrency/time-limits.ts";
import { GatewayError } from "../../errors.ts";
import { answerError } from "../../http/answer.ts";
import { discardBody, writeFullHead, writeShort } from "../../http/gateway-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { contentTypeOf } from "../../message/metadata.ts";
import { isPageAllowed } from "../../sockets/origin.ts";
import { joinPool } from "../../sockets/socket-client.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import { noBytes } from "../../text/utf8.ts";
import { type AnswerContent, isInert, joinMessages } from "./content-types.ts";
import { type HttpServerOutputOptions, httpServerOutputDefaults } from "./generated/output-options.ts";
import {
  createHeldOpenFormat,
  destroyResponse,
  eventType,
  type HeldOpenFormat,
  serveHeldOpen,
} from "./held-open-client.ts";

interface SingleClientOptions {
  /** The time limit for a message to arrive, shared by all clients of the output. */
  readonly waits: TimeLimits;
  /** The same limit in milliseconds. */
  readonly timeout: number;
  /** Milliseconds after which a client that accepts no bytes is dropped. */
  readonly writeWait: number;
}

/** Bytes that are written at a time, to distinguish a slow client from one that accepts nothing. */
const pieceBytes = 64 * 1024;

/**
 * Answers with the next message or batch for this client, or with 408 if none arrives in time. A client that accepts
 * no bytes of its message is dropped, so that another client gets the message.
 */
function serveSingle(
  pool: Pick<Clients, "join">,
  response: ServerResponse,
  options: SingleClientOptions,
): undefined {
  if (!response.closed) new SingleClient(response, options).begin(pool);
}

class SingleClient extends Limited implements PoolClient {
  readonly #response: ServerResponse;
  readonly #options: SingleClientOptions;
  #membership: PoolMembership | undefined = undefined;
  /** Whether the client has received its message, or a response that there is none. */
  #isServed = false;
  /** Confirms a message that has left. */
  #left: Confirmable | undefined = undefined;

  constructor(response: ServerResponse, options: SingleClientOptions) {
    super();
    this.#response = response;
    this.#options = options;
  }

  begin(pool: Pick<Clients, "join">): void {
    this.#membership = pool.join(this);
    // Nearly always, a message waits and leaves at once: listening for the end costs as much as finding the client.
    if (this.#left !== undefined) return;
    if (!this.#isServed) this.#options.waits.begin(this);
    this.#response.on("close", () => {
      this.#options.waits.end(this);
      this.#membership?.leave();
    });
  }

  isReady(): boolean {
    return !this.#isServed && !this.#response.destroyed;
  }

  send(message: Message, receipt: Receipt): void {
    this.#answer({ type: contentTypeOf(message), body: message.bytes() }, receipt);
  }

  sendBatch(batch: Batch, confirm: () => void): void {
    this.#answer(joinMessages(batch, this.#response.req, contentTypeOf), { confirm });
  }

  #answer({ type, body }: AnswerContent, sent: Confirmable): void {
    const response = this.#response;
    this.#isServed = true;
    this.#options.waits.end(this);
    writeFullHead(response, fieldsOf(type, body.byteLength));
    if (body.byteLength === 0) {
      response.end(() => sent.confirm());
      return;
    }
    const socket = isEncrypted(response) ? undefined : writeShort(response, body);
    if (socket !== undefined && hasLeft(socket)) {
      response.end();
      this.#left = sent;
      confirmSoon(this);
      return;
    }
    // An empty rest leaves after what has been written, or not at all.
    const rest = socket === undefined ? body : noBytes;
    endInPieces(response, rest, this.#options.writeWait, () => sent.confirm());
  }

  /** Confirms the message that has left. The client needs no other one. */
  confirm(): void {
    this.#left?.confirm();
    this.#membership?.leave();
  }

  end(): void {
    this.#refuse(new GatewayError(503, "Stream is stopping", { retryAfter: 1 }));
  }

  onTimeout(): void {
    this.#refuse(new GatewayError(408, `There was no message within ${this.#options.timeout / 1000} s`));
  }

  #refuse(error: GatewayError): void {
    if (this.#isServed) return;
    this.#isServed = true;
    answerError(this.#response, error);
  }
}

/** Whether TLS takes what is written: the kernel then never has it at once, and an empty rest is a write of its own. */
function isEncrypted({ socket }: ServerResponse): boolean {
  // Responses of HTTP/2 have no socket.
  return Boolean(socket && "encrypted" in socket);
}

function fieldsOf(type: string, length: number): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {
    "content-type": type,
    "content-length": String(length),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  // If a browser opens the response, content of others must not run as a page of the gateway.
  if (!isInert(type)) fields["content-security-policy"] = "sandbox";
  return fields;
}

/** Ends a response with `bytes`, and calls `confirm` once they have left. */
function endInPieces(
  response: ServerResponse,
  bytes: Uint8Array,
  writeWait: number,
  confirm: () => void,
): void {
  let guard: StallGuard<ServerResponse> | undefined;
  writeFrom(0);

  // The callback of `end` does not report whether the connection broke; that of `write` does.
  function writeFrom(start: number): void {
    const next = start + pieceBytes;
    const isLast = next >= bytes.byteLength;
    let isGuarded = false;
    const written = (error: Error | null | undefined) => {
      if (isGuarded) guard?.ended();
      if (error) return;
      if (isLast) confirm();
      else writeFrom(next);
    };
    const piece = bytes.subarray(start, next);
    if (start > 0 || writeShort(response, piece, written) === undefined) response.write(piece, written);
    if (isLast) response.end();
    // Usually the kernel has all of it by now, and no client can cause a delay.
    if (response.writableLength === 0) return;
    isGuarded = true;
    guard ??= guardOf(response, writeWait);
    guard.began();
  }
}

function guardOf(response: ServerResponse, writeWait: number): StallGuard<ServerResponse> {
  const guard = new StallGuard(writeWait, response, destroyResponse);
  response.on("close", () => guard.stop());
  return guard;
}

/**
 * Sends messages to clients: one per request or as server-sent events (`path`), in a held-open response
 * (`stream_path`), or on sockets (`ws_path`, or `path` alone). All clients of one output share its messages.
 */
export function httpServerOutput(options: HttpServerOutputOptions): Output {
  return createHttpServerOutput(options, openSocket);
}

type Settings = HttpServerOutputOptions &
  Required<Pick<HttpServerOutputOptions, keyof typeof httpServerOutputDefaults>>;

/** Largest frame of a client that only receives. Such frames are read and discarded. */
const maxIgnoredFrameBytes = 64 * 1024;

/**
 * Without `upgrade` there are no sockets: a `path` alone then answers upgrade requests as if it did not support them.
 */
function createHttpServerOutput(
  options: HttpServerOutputOptions,
  upgrade: SocketUpgrade | undefined,
): Output {
  const settings: Settings = { ...httpServerOutputDefaults, ...options };
  const pool = new OutputClients(settings.distribution?.() ?? new ClientPool());
  const { timeout, write_wait: writeWait } = settings;
  const single = { waits: new TimeLimits(timeout), timeout, writeWait };
  return {
    endpoints: createEndpoints(settings, pool, single, upgrade),
    demand: pool,
    async start(context) {
      pool.begin(context);
    },
    write: (batch) => pool.write(batch),
    writeEach: (messages, listener) => pool.writeEach(messages, listener),
    async close() {
      pool.close();
      single.waits.close();
    },
  };
}

/** Returns the function that adds the client of a request to the pool. */
type JoinBy = (exchange: HttpExchange) => Join;

/** Resumes after the last event whose id a reconnecting browser sends; with an unknown id, starts with new events. */
function joinOrResume(pool: OutputClients): JoinBy {
  return ({ request, messages }) => {
    const join: Join = (client) => {
      const said = request.headers["last-event-id"];
      return (typeof said === "string" ? pool.resume(client, said) : undefined) ?? pool.join(client);
    };
    return messages === undefined ? join : messages.toClient(join);
  };
}

/**
 * Creates the endpoints. A `path` alone serves every kind of client;
 * next to other paths, it serves one message per request.
 */
function createEndpoints(
  settings: Settings,
  pool: OutputClients,
  single: SingleClientOptions,
  upgrade: SocketUpgrade | undefined,
): readonly Endpoint[] {
  const join = joinOrResume(pool);
  const { path, stream_path: streamPath, ws_path: socketPath } = settings;
  const negotiates = streamPath === undefined && socketPath === undefined;
  const times = { heartbeat: settings.heartbeat, writeWait: settings.write_wait };
  const endpoints: Endpoint[] = [];
  if (path !== undefined) {
    const events = negotiates ? createHeldOpenFormat("event_source", times) : undefined;
    endpoints.push(
      httpEndpoint(path, settings, pool, (exchange) => serveByAccept(exchange, single, pool, join, events)),
    );
  }
  if (streamPath !== undefined) {
    const format = createHeldOpenFormat(settings.stream_format, times);
    endpoints.push(
      httpEndpoint(streamPath, settings, pool, (exchange) =>
        serveHeldOpen(join(exchange), exchange.response, format),
      ),
    );
  }
  const at = socketPath ?? (negotiates ? path : undefined);
  if (at !== undefined && upgrade !== undefined) endpoints.push(socketEndpoint(at, settings, pool, upgrade));
  if (socketPath !== undefined && upgrade === undefined) {
    throw new Error("http_server: ws_path needs the output with sockets");
  }
  return endpoints;
}

function httpEndpoint(
  path: string,
  settings: Settings,
  clients: OutputClients,
  handle: HttpEndpoint["handle"],
): HttpEndpoint {
  return {
    transport: "http",
    verbs: [...new Set(settings.allowed_verbs)],
    path,
    cors: settings.cors,
    clients,
    handle(exchange) {
      // The body of a consumer's request has no meaning; unread, it would hold up the connection.
      discardBody(exchange.request);
      // A response to HEAD has no body, so it must not take a message.
      if (exchange.request.method !== "HEAD") return handle(exchange);
      exchange.response.writeHead(200, { "x-content-type-options": "nosniff" }).end();
      return undefined;
    },
  };
}

/** Serves clients that ask for events with `events`, if that is available; serves one message to others. */
function serveByAccept(
  exchange: HttpExchange,
  single: SingleClientOptions,
  pool: OutputClients,
  join: JoinBy,
  events: HeldOpenFormat | undefined,
): Promise<void> | undefined {
  const { request, response } = exchange;
  const wantsEvents = (request.headers.accept ?? "").toLowerCase().includes(eventType);
  if (events !== undefined && wantsEvents) return serveHeldOpen(join(exchange), response, events);
  return serveSingle(gatedClients(pool, exchange.messages), response, single);
}

function socketEndpoint(
  path: string,
  settings: Settings,
  pool: OutputClients,
  upgrade: SocketUpgrade,
): SocketEndpoint {
  const { ack: join = joinPool, ack_timeout: ackTimeout } = settings;
  const { ws_message_type: frameType, write_wait: writeWait } = settings;
  return {
    transport: "websocket",
    path,
    upgrade,
    clients: pool,
    admit(exchange) {
      if (!isPageAllowed(exchange, settings.cors)) return new GatewayError(403, "Origin is not allowed");
      return {
        maxFrameBytes: maxIgnoredFrameBytes,
        pingPeriod: settings.ping_period,
        pongWait: settings.pong_wait,
        attach: (socket, connection) =>
          join(gatedClients(pool, exchange.messages), socket, {
            connection,
            ackTimeout,
            frameType,
            writeWait,
          }),
      };
    },
  };
}

/**
 * Like `httpServerOutput`, for a stream that opens no sockets, with `stream_path` and without `ws_path`: a gateway
 * that uses only this includes no WebSocket code.
 */
export function plainHttpServerOutput(options: Omit<HttpServerOutputOptions, "ws_path">): Output {
  return createHttpServerOutput(options, undefined);
}
