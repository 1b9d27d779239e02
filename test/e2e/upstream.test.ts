import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { WebSocketServer } from "ws";
import { temporaryDirectory } from "../harness/directories.ts";
import { sse } from "../harness/sse-client.ts";
import { socket } from "../harness/websocket-client.ts";
import { startUpstream } from "../runtime/proxy/upstreams.ts";
import { buildAndStart } from "./gateway.ts";

const document = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "1" },
  paths: {},
  "x-gw-api-gateway": {
    info: { name: "Orders", state: { active: true } },
    server: { listenPath: { value: "/orders/" } },
    upstream: {
      url: "${UPSTREAM}/v1",
      preserveHostHeader: { enabled: true },
      timeouts: { response: "${PATIENCE:60s}" },
    },
  },
  "x-gw-streaming": {
    streams: { intake: { input: { http_server: { path: "/new" } }, output: { drop: {} } } },
  },
};

/** Starts an upstream with events, GraphQL, sockets, and a response that never arrives. */
async function startBehind() {
  const upstream = await startUpstream((request, response) => {
    if (request.url === "/v1/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: first\n\n");
    } else if (request.url === "/v1/graphql") {
      request.on("data", (body) => response.write(`{"data":${body}}`));
      request.on("end", () => response.end());
    } else if (request.url !== "/v1/never") {
      response.end(`${request.method} ${request.url} ${request.headers.host}`);
    }
  });
  const sockets = new WebSocketServer({ server: upstream.server });
  sockets.on("connection", (client) => client.on("message", (data) => client.send(`back: ${data}`)));
  return upstream;
}

test("requests, GraphQL, events and WebSockets that match no stream reach the upstream of a built gateway", async () => {
  const upstream = await startBehind();
  const file = join(temporaryDirectory("upstream"), "orders.json");
  writeFileSync(file, JSON.stringify(document));
  const { url, program } = await buildAndStart([file], { UPSTREAM: upstream.url, PATIENCE: "3s" });
  const ask = async (path: string, options: RequestInit = {}) => {
    const response = await fetch(`${url}/orders/${path}`, options);
    return `${response.status} ${await response.text()}`;
  };
  const { host } = new URL(url);
  assert.is(await ask("list?page=2"), `200 GET /v1/list?page=2 ${host}`);
  assert.is(await ask("graphql", { method: "POST", body: '"query"' }), '200 {"data":"query"}');
  assert.is(await ask("never"), '504 {"error":"Upstream did not answer within 3 s"}');
  assert.is(await ask("new", { method: "POST", body: "{}" }), "200 ", "a stream has its paths");
  assert.match(await ask("new"), /^405 /);
  const stream = await sse(`${url}/orders/events`);
  assert.is((await stream.next()).data, "first");
  stream.close();
  const client = await socket(`${url}/orders/chat`);
  await client.send("hello");
  assert.is(await client.next(), "back: hello");
  assert.is((await fetch(`${url}/elsewhere`)).status, 404);
  // The open socket does not delay the shutdown.
  assert.is(await program.stop(), 0);
  await client.ended;
  await upstream.close();
});

test.run();
