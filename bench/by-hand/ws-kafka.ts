// WebSocket → Kafka: a socket with 64 frames that are not confirmed is not read.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { send } from "./kafka.ts";

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
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has this type of address
  console.log(`listening on http://127.0.0.1:${port}`);
});
process.on("SIGTERM", () => process.exit());
