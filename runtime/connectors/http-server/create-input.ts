// The http_server input, with or without sockets.

import type {
  Endpoint,
  HttpEndpoint,
  Input,
  InputContext,
  SocketEndpoint,
  SocketUpgrade,
} from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import { isOriginAllowed } from "../../sockets/origin.ts";
import { createSocketReader, type SocketReader } from "../../sockets/socket-input.ts";
import { limited } from "./admission.ts";
import { type HttpServerInputOptions, httpServerInputDefaults } from "./generated/input-options.ts";
import { createProducer, type Producer } from "./producer.ts";

/** What serves requests and sockets between `start` and `close`. */
interface Session {
  readonly producer: Producer;
  readonly sockets: SocketReader;
}

const keepAlive = { pingPeriod: 54_000, pongWait: 60_000 };

/** Without `upgrade` a `ws_path` is a mistake of the caller. */
export function createHttpServerInput(
  options: HttpServerInputOptions,
  upgrade: SocketUpgrade | undefined,
): Input {
  const settings = { ...httpServerInputDefaults, ...options };
  let session: Session | undefined;
  const findSession = () => session;
  const endpoints: Endpoint[] = [];
  if (settings.path !== undefined) {
    endpoints.push(requestEndpoint(settings.path, [...new Set(settings.allowed_verbs)], findSession));
  }
  if (settings.ws_path !== undefined) {
    if (upgrade === undefined) throw new Error("http_server: ws_path needs the input with sockets");
    endpoints.push(socketEndpoint(settings.ws_path, upgrade, findSession));
  }
  return {
    endpoints,
    async start(context: InputContext) {
      session = {
        producer: createProducer(context, settings.timeout, settings.rate_limit),
        sockets: createSocketReader(limited(context, settings.rate_limit), "text"),
      };
    },
    async close() {
      await Promise.all([session?.producer.close(), session?.sockets.close()]);
    },
  };
}

function requestEndpoint(
  path: string,
  verbs: readonly string[],
  findSession: () => Session | undefined,
): HttpEndpoint {
  return {
    transport: "http",
    verbs,
    path,
    async handle(exchange) {
      const session = findSession();
      if (session === undefined) throw notRunning();
      await session.producer.handle(exchange);
    },
  };
}

function socketEndpoint(
  path: string,
  upgrade: SocketUpgrade,
  findSession: () => Session | undefined,
): SocketEndpoint {
  return {
    transport: "websocket",
    path,
    upgrade,
    admit(exchange) {
      const session = findSession();
      if (session === undefined) return notRunning();
      if (!isOriginAllowed(exchange.request, [])) return new GatewayError(403, "Origin is not allowed");
      return {
        ...keepAlive,
        maxFrameBytes: exchange.maxBodyBytes,
        attach: (socket) => session.sockets.read(socket, exchange),
      };
    },
  };
}

function notRunning(): GatewayError {
  return new GatewayError(503, "Stream is not running", { retryAfter: 1 });
}
