// WebSocket → Kafka: a socket with 64 frames that are not confirmed is not read.

import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { send } from "./kafka.ts";
import { startListening } from "./server.ts";

const mostInFlight = 64;
const largestFrame = 4 * 1024 * 1024;

const server = createServer((_request, response) => response.writeHead(404).end());
const sockets = new WebSocketServer({ server, path: "/socket", maxPayload: largestFrame });
sockets.on("connection", (socket) => {
  let inFlight = 0;
  socket.on("message", (value: Buffer) => {
    inFlight += 1;
    if (inFlight === mostInFlight) socket.pause();
    send({ value }, (status) => {
      if (status !== 200) socket.close(1011, "message was not delivered");
      inFlight -= 1;
      if (inFlight === mostInFlight - 1) socket.resume();
    });
  });
});
startListening(server);
