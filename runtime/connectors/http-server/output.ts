import type { ServerResponse } from "node:http";
import { ClientPool } from "../../clients/client-pool.ts";
import { OutputClients } from "../../clients/output-clients.ts";
import { StallGuard } from "../../clients/stall-guard.ts";
import { type Clients, gatedClients } from "../../component/clients.ts";
import type { Output } from "../../component/component.ts";
import type {
  Endpoint,
  HttpEndpoint,
  HttpExchange,
  SocketEndpoint,
  SocketUpgrade,
} from "../../component/endpoint.ts";
import type { Join, PoolClient } from "../../component/message-gates.ts";
import { Limited, TimeLimits } from "../../concurrency/time-limits.ts";
import { GatewayError } from "../../errors.ts";
import { answerError } from "../../http/answer.ts";
import { discardBody, writeWithHead } from "../../http/gateway-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { contentTypeOf } from "../../message/metadata.ts";
import { isPageAllowed } from "../../sockets/origin.ts";
import { joinPool } from "../../sockets/socket-client.ts";
import { openSocket } from "../../sockets/upgrade.ts";
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
  /** The time in which a message has to come, for all clients of the output. */
  readonly waits: TimeLimits;
  /** The same in milliseconds. */
  readonly timeout: number;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/** Bytes of a message that are written at a time, so that a slow client can be distinguished from one that takes nothing. */
const pieceBytes = 64 * 1024;

/**
 * Answers with the next message or batch that is this client's, or 408 when none comes in time. A client that takes none of its
 * message is dropped, so that another gets it.
 */
function serveSingle(
  pool: Pick<Clients, "join">,
  response: ServerResponse,
  options: SingleClientOptions,
): undefined {
  if (!response.closed) new SingleClient(response, options).begin(pool);
}

class SingleClient extends Limited implements PoolClient {
  readonly sendBatch = (batch: Batch, confirm: () => void): void => {
    const { type, body } = joinMessages(batch, this.#response.req, contentTypeOf);
    this.#answer(type, body, confirm);
  };
  readonly #response: ServerResponse;
  readonly #options: SingleClientOptions;
  /** It has its message, or an answer that there is none. */
  #isServed = false;

  constructor(response: ServerResponse, options: SingleClientOptions) {
    super();
    this.#response = response;
    this.#options = options;
  }

  begin(pool: Pick<Clients, "join">): void {
    const { waits } = this.#options;
    const membership = pool.join(this);
    if (!this.#isServed) waits.begin(this);
    this.#response.on("close", () => {
      waits.end(this);
      membership.leave();
    });
  }

  isReady(): boolean {
    return !this.#isServed && !this.#response.destroyed;
  }

  send(message: Message, confirm: () => void): void {
    this.#answer(contentTypeOf(message), message.bytes(), confirm);
  }

  #answer(type: string, body: Uint8Array, confirm: () => void): void {
    this.#isServed = true;
    this.#options.waits.end(this);
    answerWith(this.#response, { type, body }, this.#options.writeWait, confirm);
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

function answerWith(
  response: ServerResponse,
  { type, body: bytes }: AnswerContent,
  writeWait: number,
  confirm: () => void,
): void {
  const headers: Record<string, string> = {
    "content-type": type,
    "content-length": String(bytes.byteLength),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  // Opened in a browser, what others sent is not to run as a page of the gateway.
  if (!isInert(type)) headers["content-security-policy"] = "sandbox";
  response.writeHead(200, headers);
  if (bytes.byteLength === 0) {
    response.end(confirm);
    return;
  }
  let guard: StallGuard<ServerResponse> | undefined;
  writeFrom(0);

  // The callback of `end` does not tell whether the connection broke, that of `write` does.
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
    if (start === 0) writeWithHead(response, isLast ? bytes : bytes.subarray(0, next), written);
    else response.write(bytes.subarray(start, next), written);
    if (isLast) response.end();
    // Usually the kernel has all of it by now, and no client can hold up anything.
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
 * Hands messages to clients: one per request or by server-sent events (`path`), on a held-open response
 * (`stream_path`), or on sockets (`ws_path`, or `path` alone). All clients of one output take turns.
 */
export function httpServerOutput(options: HttpServerOutputOptions): Output {
  return createHttpServerOutput(options, openSocket);
}

type Settings = HttpServerOutputOptions &
  Required<Pick<HttpServerOutputOptions, keyof typeof httpServerOutputDefaults>>;

/** Frames of a client that only receives are read and thrown away, up to this size. */
const maxIgnoredFrameBytes = 64 * 1024;

/** Without `upgrade` there are no sockets: a `path` alone answers upgrades as if it knew none. */
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
    async close() {
      pool.close();
      single.waits.close();
    },
  };
}

/** How the client of a request is taken in. */
type JoinBy = (exchange: HttpExchange) => Join;

/** A browser that reconnects sends the id of its last event; one that sends an unknown id begins with new events. */
function joinOrResume(pool: OutputClients): JoinBy {
  return ({ request, messages }) => {
    const join: Join = (client) => {
      const said = request.headers["last-event-id"];
      return (typeof said === "string" ? pool.resume(client, said) : undefined) ?? pool.join(client);
    };
    return messages === undefined ? join : messages.toClient(join);
  };
}

/** A `path` alone serves every kind of client; beside other paths it gives one message at a time. */
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
      // What a consumer sends along means nothing; unread it would hold up the connection.
      discardBody(exchange.request);
      // An answer to HEAD carries no body, so it must not take a message.
      if (exchange.request.method !== "HEAD") return handle(exchange);
      exchange.response.writeHead(200, { "x-content-type-options": "nosniff" }).end();
      return undefined;
    },
  };
}

/** By `events`, where there are any, clients that ask for them; others get one message. */
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
      if (!isPageAllowed(exchange.request, settings.cors))
        return new GatewayError(403, "Origin is not allowed");
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
 * `httpServerOutput` for a stream that opens no sockets, with `stream_path` and without `ws_path`: a gateway
 * that uses only this carries no WebSocket code.
 */
export function plainHttpServerOutput(options: Omit<HttpServerOutputOptions, "ws_path">): Output {
  return createHttpServerOutput(options, undefined);
}
