import type { Input } from "../../component/component.ts";
import type { SocketAdmission } from "../../component/endpoint.ts";
import { GatewayError } from "../../errors.ts";
import { sendText } from "../../sockets/frames.ts";
import { isOriginAllowed } from "../../sockets/origin.ts";
import { createSocketReader, frameSequence, type SocketReader } from "../../sockets/socket-input.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import { type WebsocketServerInputOptions, websocketServerInputDefaults } from "./generated/input-options.ts";

/**
 * Accepts messages from WebSocket clients: each frame is a message. If the stream's `websocketServerOutput` has the
 * same path, both use the same sockets.
 */
export function websocketServerInput(options: WebsocketServerInputOptions): Input {
  const settings = { ...websocketServerInputDefaults, ...options };
  let reader: SocketReader | undefined;
  return {
    isServer: true,
    sequenceOf: frameSequence,
    endpoints: [
      {
        transport: "websocket",
        path: settings.path,
        upgrade: openSocket,
        admit(exchange) {
          const open = reader;
          if (open === undefined) return new GatewayError(503, "Stream is not running", { retryAfter: 1 });
          if (!isOriginAllowed(exchange, settings.allowed_origins)) {
            return new GatewayError(403, "Origin is not allowed");
          }
          return {
            ...keepAliveOf(settings.ping_period),
            maxFrameBytes: exchange.maxFrameBytes,
            attach(socket) {
              sendText(socket, settings.welcome_message);
              open.read(socket, exchange, settings.path);
            },
          };
        },
      },
    ],
    async start(context) {
      reader = createSocketReader(context, settings.message_type);
    },
    async close() {
      await reader?.close();
    },
  };
}

/** Milliseconds that a client has at least to answer a ping. */
const answerTime = 6_000;

/** Returns the keep-alive times: a client that has been silent for `pongWait` counts as gone. */
export function keepAliveOf(pingPeriod: number): Pick<SocketAdmission, "pingPeriod" | "pongWait"> {
  return { pingPeriod, pongWait: pingPeriod + answerTime };
}
