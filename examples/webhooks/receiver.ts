// Takes webhooks at port 9000 and prints those that are genuine, each once.

import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { isGenuine } from "./verify.ts";

const { WEBHOOK_SECRET: secret = "", PORT: port = "9000" } = process.env;
/** What was seen: a delivery whose answer was lost comes again, under the same id. */
const seen = new Set<unknown>();

const server = createServer(async (request, response) => {
  const { headers } = request;
  const body = await buffer(request);
  if (!isGenuine(headers, body, secret)) {
    response.writeHead(401).end();
    return;
  }
  const { "webhook-id": id, "webhook-event": event } = headers;
  if (!seen.has(id)) console.log(`${event} ${body}`);
  seen.add(id);
  response.end();
}).listen(Number(port), "127.0.0.1", () => console.log(`listening at ${JSON.stringify(server.address())}`));
