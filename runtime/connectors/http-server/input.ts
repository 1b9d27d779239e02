import type { Input, InputContext } from "../../component/component.ts";
import type { Endpoint, HttpEndpoint, SocketEndpoint, SocketUpgrade } from "../../component/endpoint.ts";
import { GatewayError } from "../../errors.ts";
import { sendText } from "../../sockets/frames.ts";
import { isPageAllowed } from "../../sockets/origin.ts";
import { createSocketReader, frameSequence, type SocketReader } from "../../sockets/socket-input.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import { createFrameAdmission } from "./admission.ts";
import { type HttpServerInputOptions, httpServerInputDefaults } from "./generated/input-options.ts";
import { Producer } from "./producer.ts";
import { createReplier } from "./reply.ts";

/**
 * Takes messages from requests (`path`; the body is one message, `multipart/*` a batch) and from sockets
 * (`ws_path`; each frame is one). The caller of a request is answered once the output has confirmed.
 */
export function httpServerInput(options: HttpServerInputOptions): Input {
  return createHttpServerInput(options, openSocket);
}

type Settings = HttpServerInputOptions &
  Required<Pick<HttpServerInputOptions, keyof typeof httpServerInputDefaults>>;

/** What serves requests and sockets between `start` and `close`. */
interface Session {
  readonly producer: Producer;
  readonly sockets: SocketReader;
}

const keepAlive = { pingPeriod: 54_000, pongWait: 60_000 };

/** Without `upgrade` a `ws_path` is a mistake of the caller. */
function createHttpServerInput(options: HttpServerInputOptions, upgrade: SocketUpgrade | undefined): Input {
  const settings: Settings = { ...httpServerInputDefaults, ...options };
  const { timeout, rate_limit, ws_rate_limit_message: notice } = settings;
  let session: Session | undefined;
  const findSession = () => session;
  const endpoints: Endpoint[] = [];
  if (settings.path !== undefined) {
    endpoints.push(requestEndpoint(settings.path, settings, findSession));
  }
  if (settings.ws_path !== undefined) {
    if (upgrade === undefined) throw new Error("http_server: ws_path needs the input with sockets");
    endpoints.push(socketEndpoint(settings.ws_path, settings, upgrade, findSession));
  }
  return {
    isServer: true,
    ...(settings.ws_path !== undefined && { sequenceOf: frameSequence }),
    endpoints,
    async start(context: InputContext) {
      session = {
        producer: new Producer(context, {
          timeout,
          rate_limit,
          route: settings.path ?? "",
          reply: createReplier(settings.sync_response),
        }),
        sockets: createSocketReader(context, "text", createFrameAdmission(rate_limit, notice, context)),
      };
    },
    async close() {
      await Promise.all([session?.producer.close(), session?.sockets.close()]);
    },
  };
}

function requestEndpoint(
  path: string,
  { allowed_verbs: verbs, cors }: Settings,
  findSession: () => Session | undefined,
): HttpEndpoint {
  return {
    transport: "http",
    verbs: [...new Set(verbs)],
    path,
    cors,
    handle(exchange) {
      const session = findSession();
      if (session === undefined) throw notRunning();
      return session.producer.handle(exchange);
    },
  };
}

function socketEndpoint(
  path: string,
  { cors, ws_welcome_message: greeting }: Settings,
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
      if (!isPageAllowed(exchange.request, cors)) return new GatewayError(403, "Origin is not allowed");
      return {
        ...keepAlive,
        maxFrameBytes: exchange.maxFrameBytes,
        attach(socket) {
          sendText(socket, greeting);
          session.sockets.read(socket, exchange, path);
        },
      };
    },
  };
}

function notRunning(): GatewayError {
  return new GatewayError(503, "Stream is not running", { retryAfter: 1 });
}

/** `httpServerInput` for a stream without `ws_path`: a gateway that uses only this carries no WebSocket code. */
export function plainHttpServerInput(options: Omit<HttpServerInputOptions, "ws_path">): Input {
  return createHttpServerInput(options, undefined);
}
