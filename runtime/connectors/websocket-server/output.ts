import { ClientPool } from "../../client-pool.ts";
import type { Output } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import { isOriginAllowed } from "../../sockets/origin.ts";
import { joinPool } from "../../sockets/socket-client.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import {
  type WebsocketServerOutputOptions,
  websocketServerOutputDefaults,
} from "./generated/output-options.ts";
import { keepAliveOf, welcome } from "./settings.ts";

/** Frames of a client that only receives are read and thrown away, up to this size. */
const maxIgnoredFrameBytes = 64 * 1024;
/** Milliseconds after which a client that takes no bytes is dropped. */
const writeWait = 10_000;

/** Sends messages to WebSocket clients, each to exactly one of them, in rotation. */
export function websocketServerOutput(options: WebsocketServerOutputOptions): Output {
  const settings = { ...websocketServerOutputDefaults, ...options };
  const pool = new ClientPool();
  return {
    demand: pool,
    endpoints: [
      {
        transport: "websocket",
        path: settings.path,
        upgrade: openSocket,
        admit(exchange) {
          if (!isOriginAllowed(exchange.request, settings.allowed_origins)) {
            return new GatewayError(403, "Origin is not allowed");
          }
          return {
            ...keepAliveOf(settings.ping_period),
            maxFrameBytes: maxIgnoredFrameBytes,
            attach(socket) {
              welcome(socket, settings.welcome_message);
              joinPool(pool, socket, { frameType: settings.message_type, writeWait });
            },
          };
        },
      },
    ],
    async start() {},
    write: (batch) => pool.write(batch),
    async close() {
      pool.close();
    },
  };
}
