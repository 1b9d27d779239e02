import { ClientPool } from "../../clients/client-pool.ts";
import { OutputClients } from "../../clients/output-clients.ts";
import { gatedClients } from "../../component/clients.ts";
import type { Output } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";
import { sendText } from "../../sockets/frames.ts";
import { isOriginAllowed } from "../../sockets/origin.ts";
import { joinPool } from "../../sockets/socket-client.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import {
  type WebsocketServerOutputOptions,
  websocketServerOutputDefaults,
} from "./generated/output-options.ts";
import { keepAliveOf } from "./input.ts";

/** Largest frame of a client that only receives. Such frames are read and discarded. */
const maxIgnoredFrameBytes = 64 * 1024;
/** Milliseconds after which a client that accepts no bytes is dropped. */
const writeWait = 10_000;

/** Sends messages to WebSocket clients: each message to one of them in rotation, or to all. */
export function websocketServerOutput(options: WebsocketServerOutputOptions): Output {
  const settings = { ...websocketServerOutputDefaults, ...options };
  const pool = new OutputClients(settings.distribution?.() ?? new ClientPool());
  const { ack: join = joinPool, ack_timeout: ackTimeout, message_type: frameType } = settings;
  return {
    demand: pool,
    endpoints: [
      {
        transport: "websocket",
        path: settings.path,
        upgrade: openSocket,
        clients: pool,
        admit(exchange) {
          if (!isOriginAllowed(exchange, settings.allowed_origins)) {
            return new GatewayError(403, "Origin is not allowed");
          }
          return {
            ...keepAliveOf(settings.ping_period),
            maxFrameBytes: maxIgnoredFrameBytes,
            attach(socket, connection) {
              sendText(socket, settings.welcome_message);
              const own = { connection, ackTimeout, frameType, writeWait };
              join(gatedClients(pool, exchange.messages), socket, own);
            },
          };
        },
      },
    ],
    async start(context) {
      pool.begin(context);
    },
    write: (batch) => pool.write(batch),
    writeEach: (messages, listener) => pool.writeEach(messages, listener),
    async close() {
      pool.close();
    },
  };
}
