// The http_server output, with or without sockets.

import type { ServerResponse } from "node:http";
import { ClientPool } from "../../clients/client-pool.ts";
import { OutputClients } from "../../clients/output-clients.ts";
import { createStallGuard } from "../../clients/stall-guard.ts";
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
import { GatewayError } from "../../errors.ts";
import { isPageAllowed } from "../../sockets/origin.ts";
import { joinPool } from "../../sockets/socket-client.ts";
import { eventFrame, rawFrame } from "./event-frame.ts";
import { type HttpServerOutputOptions, httpServerOutputDefaults } from "./generated/output-options.ts";
import { serveSingle } from "./single-client.ts";

type Settings = HttpServerOutputOptions &
  Required<Pick<HttpServerOutputOptions, keyof typeof httpServerOutputDefaults>>;

/** Frames of a client that only receives are read and thrown away, up to this size. */
const maxIgnoredFrameBytes = 64 * 1024;
const eventType = "text/event-stream";

/** Without `upgrade` there are no sockets: a `path` alone answers upgrades as if it knew none. */
export function createHttpServerOutput(
  options: HttpServerOutputOptions,
  upgrade: SocketUpgrade | undefined,
): Output {
  const settings: Settings = { ...httpServerOutputDefaults, ...options };
  const pool = new OutputClients(settings.distribution?.() ?? new ClientPool());
  const join = joinOrResume(pool);
  return {
    endpoints: createEndpoints(settings, pool, join, upgrade),
    demand: pool,
    async start(context) {
      pool.begin(context);
    },
    write: (batch) => pool.write(batch),
    async close() {
      pool.close();
    },
  };
}

/** How the client of a request is taken in. */
type JoinBy = (exchange: HttpExchange) => Join;

/** A browser that comes back says which event it had last; one that says anything else begins with what comes now. */
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
  join: JoinBy,
  upgrade: SocketUpgrade | undefined,
): readonly Endpoint[] {
  const { path, stream_path: streamPath, ws_path: socketPath } = settings;
  const negotiates = streamPath === undefined && socketPath === undefined;
  const endpoints: Endpoint[] = [];
  if (path !== undefined) {
    endpoints.push(
      httpEndpoint(path, settings, pool, (exchange) =>
        serveByAccept(exchange, settings, pool, join, negotiates),
      ),
    );
  }
  if (streamPath !== undefined) {
    const options = streamOptions(settings, settings.stream_format);
    endpoints.push(
      httpEndpoint(streamPath, settings, pool, (exchange) =>
        serveStream(join(exchange), exchange.response, options),
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
  handle: (exchange: HttpExchange) => Promise<void>,
): HttpEndpoint {
  return {
    transport: "http",
    verbs: [...new Set(settings.allowed_verbs)],
    path,
    cors: settings.cors,
    clients,
    async handle(exchange) {
      // What a consumer sends along means nothing; unread it would hold up the connection.
      exchange.request.resume();
      // An answer to HEAD carries no body, so it must not take a message.
      if (exchange.request.method === "HEAD")
        exchange.response.writeHead(200, { "x-content-type-options": "nosniff" }).end();
      else await handle(exchange);
    },
  };
}

function serveByAccept(
  exchange: HttpExchange,
  settings: Settings,
  pool: OutputClients,
  join: JoinBy,
  negotiates: boolean,
): Promise<void> {
  const { request, response } = exchange;
  const wantsEvents = negotiates && (request.headers.accept ?? "").toLowerCase().includes(eventType);
  if (wantsEvents) return serveStream(join(exchange), response, streamOptions(settings, "event_source"));
  return serveSingle(gatedClients(pool, exchange.messages), response, {
    timeout: settings.timeout,
    writeWait: settings.write_wait,
  });
}

function streamOptions(settings: Settings, format: "event_source" | "raw_bytes"): StreamClientOptions {
  const { heartbeat, write_wait: writeWait } = settings;
  return format === "event_source"
    ? {
        contentType: eventType,
        // Browsers come back after this many milliseconds when the connection breaks.
        opening: "retry: 2000\n\n",
        frame: eventFrame,
        heartbeat,
        heartbeatText: ": heartbeat\n\n",
        writeWait,
      }
    : {
        contentType: "application/octet-stream",
        opening: "",
        frame: rawFrame,
        heartbeat: 0,
        heartbeatText: "",
        writeWait,
      };
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
        attach: (socket) =>
          join(gatedClients(pool, exchange.messages), socket, { ackTimeout, frameType, writeWait }),
      };
    },
  };
}

interface StreamClientOptions {
  readonly contentType: string;
  /** Written before the first message. */
  readonly opening: string;
  /** How a message is written. */
  readonly frame: (bytes: Uint8Array, id?: string) => Buffer;
  /** Written whenever `heartbeat` milliseconds have passed; 0 for never. */
  readonly heartbeat: number;
  readonly heartbeatText: string;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/**
 * Sends the head at once and has `join` take the response in until the client leaves; resolves then. A silent
 * client is never timed out, only one that takes none of the bytes that wait for it. Rejects, with nothing sent,
 * when it cannot be taken in.
 */
async function serveStream(
  join: Join,
  response: ServerResponse,
  options: StreamClientOptions,
): Promise<void> {
  if (response.closed) return;
  const guard = createStallGuard(options.writeWait, () => response.destroy());
  let isOpen = false;
  const membership = await join({
    isReady: () => isOpen && !response.destroyed && !response.writableEnded && !response.writableNeedDrain,
    send(message, confirm, _giveBack, id) {
      guard.began();
      response.write(options.frame(message.bytes(), id), (error) => {
        guard.ended();
        if (error) response.destroy();
        else confirm();
      });
    },
    end: () => response.end(),
  });
  if (response.closed) {
    membership.leave();
    return;
  }
  open(response, options);
  isOpen = true;
  const heartbeat = options.heartbeat > 0 ? setInterval(beat, options.heartbeat) : undefined;

  function beat(): void {
    if (!response.writableNeedDrain) response.write(options.heartbeatText);
  }

  response.on("drain", membership.ready.bind(membership));
  membership.ready();
  await new Promise<void>((resolve) => {
    response.once("close", () => {
      clearInterval(heartbeat);
      guard.stop();
      membership.leave();
      resolve();
    });
  });
}

function open(response: ServerResponse, { contentType, opening }: StreamClientOptions): void {
  // Set by itself, so that it can be read back: who counts connections tells by it that this one is held open.
  response.setHeader("x-accel-buffering", "no");
  response.writeHead(200, {
    "content-type": contentType,
    "cache-control": "no-cache, no-transform",
    "x-content-type-options": "nosniff",
  });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  if (opening !== "") response.write(opening);
}
