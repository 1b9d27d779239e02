// Responds to each GET with one message, created for that request.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  if (request.method !== "GET" || request.url !== "/one") {
    response.writeHead(404).end();
    return;
  }
  const message = { city: "Lisbon", customer: "Ada Lovelace", id: "o-100000", total: 101.85 };
  const body = Buffer.from(JSON.stringify(message));
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has this type of address
  console.log(`listening on http://127.0.0.1:${port}`);
});
process.on("SIGTERM", () => process.exit());
