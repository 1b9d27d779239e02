// A server of events and WebSockets that sends the body of each POST to all of its clients.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

const clients = new Set<ServerResponse>();
const sockets = new WebSocketServer({ noServer: true });

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/in") {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const event = Buffer.concat([Buffer.from("data: "), body, Buffer.from("\n\n")]);
      for (const client of clients) client.write(event);
      for (const socket of sockets.clients) socket.send(body);
      response.writeHead(200, { "content-length": "0" }).end();
    });
  } else if (request.method === "GET" && request.url === "/events") {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.flushHeaders();
    clients.add(response);
    response.on("close", () => clients.delete(response));
  } else response.writeHead(404).end();
});
server.on("upgrade", (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (client) => sockets.emit("connection", client, request));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has this type of address
  console.log(`listening on http://127.0.0.1:${port}`);
});
process.on("SIGTERM", () => process.exit());
