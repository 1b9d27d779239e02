// Responds to each GET with one message, created for that request.

import { createServer } from "node:http";
import { startListening } from "./server.ts";

const server = createServer((request, response) => {
  if (request.method !== "GET" || request.url !== "/one") {
    response.writeHead(404).end();
    return;
  }
  const message = { city: "Lisbon", customer: "Ada Lovelace", id: "o-100000", total: 101.85 };
  const body = Buffer.from(JSON.stringify(message));
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
});
startListening(server);
