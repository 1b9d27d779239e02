// Opens WebSockets on connections that the gateway's server hands over.

import { WebSocketServer } from "ws";
import { answerUpgrade } from "../answer.ts";
import type { SocketAdmission, SocketExchange } from "../component.ts";
import { GatewayError } from "../errors.ts";
import { keepAlive } from "./keep-alive.ts";

/** The `upgrade` of every socket endpoint. */
export function openSocket(exchange: SocketExchange, admissions: readonly SocketAdmission[]): void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs memory per connection and is an old way to exhaust servers.
    perMessageDeflate: false,
    maxPayload: Math.max(...admissions.map(({ maxFrameBytes }) => maxFrameBytes)),
  });
  server.on("wsClientError", (_error, socket) => {
    answerUpgrade(socket, new GatewayError(400, "Not a WebSocket handshake"));
  });
  server.handleUpgrade(exchange.request, exchange.socket, exchange.head, (socket) => {
    // A protocol error closes the socket, which is all that happens to it.
    socket.on("error", () => undefined);
    keepAlive(
      socket,
      Math.min(...admissions.map(({ pingPeriod }) => pingPeriod)),
      Math.max(...admissions.map(({ pongWait }) => pongWait)),
    );
    exchange.messages?.watch(socket);
    for (const admission of admissions) admission.attach(socket);
  });
}
