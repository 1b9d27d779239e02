import { ClientPool } from "../../clients/client-pool.ts";
import { OutputClients } from "../../clients/output-clients.ts";
import { gatedClients } from "../../component/clients.ts";
import type { Output } from "../../component/component.ts";
import type {
  Endpoint,
  HttpEndpoint,
  HttpExchange,
  SocketEndpoint,
  SocketUpgrade,
} from "../../component/endpoint.ts";
import type { Join } from "../../component/message-gates.ts";
import { TimeLimits } from "../../concurrency/time-limits.ts";
import { GatewayError } from "../../errors.ts";
import { discardBody } from "../../http/gateway-messages.ts";
import { isPageAllowed } from "../../sockets/origin.ts";
import { joinPool } from "../../sockets/socket-client.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import { type HttpServerOutputOptions, httpServerOutputDefaults } from "./generated/output-options.ts";
import { createHeldOpenFormat, eventType, type HeldOpenFormat, serveHeldOpen } from "./held-open-client.ts";
import { type SingleClientOptions, serveSingle } from "./single-client.ts";

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
  const single = { waits: new TimeLimits(settings.timeout), writeWait: settings.write_wait };
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
