// Sends the body of each POST to all connected clients.

import { clients, Outgoing, serveClients } from "./audience.ts";

serveClients((request, response) => {
  if (request.method !== "POST" || request.url !== "/in") {
    response.writeHead(404).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const outgoing = new Outgoing([{ body: Buffer.concat(chunks) }]);
    for (const client of clients) client.send(outgoing);
    response.writeHead(200, { "content-length": "0" }).end();
  });
});
