import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { buildAndStart } from "./gateway.ts";

const settings = `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
oauth: {}
portal: { enabled: true, organisation: acme }
policies:
  - { id: readers, access_rights: { orders: {} } }
`;
const orders = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Api-Key } } }
security: [{ key: [] }]
x-gw-api-gateway:
  info: { id: orders }
  server:
    listenPath: { value: /orders/ }
    authentication: { enabled: true, securitySchemes: { key: { enabled: true } } }
x-gw-streaming:
  streams:
    orders:
      input: { http_server: { path: /new } }
      output: { drop: {} }
`;

const folder = temporaryDirectory("portal");
writeFileSync(join(folder, "gateway.yaml"), settings);
writeFileSync(join(folder, "orders.yaml"), orders);
const environment = {
  STORE: `sqlite:${join(folder, "gateway.db")}`,
  GW_PORTAL_ACCESS_TOKENS: "the-token-of-administrators",
};

test("a built gateway serves the portal, and nobody without a token", async () => {
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], environment);
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await fetch(`${gateway.url}${path}`, { headers })).status;
  const authorization = environment.GW_PORTAL_ACCESS_TOKENS;
  assert.is(await ask("/api/portal/policies"), 401);
  assert.is(await ask("/api/portal/policies", { authorization }), 200);
  assert.is(await ask("/api/portal/openapi.json", { authorization }), 200);
  assert.is(await gateway.program.stop(), 0);
  assert.not.ok(gateway.program.output().includes(authorization), "no secret is logged");
});

test("a portal with a listener of its own is served there, and nowhere else", async () => {
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
    ...environment,
    GW_PORTAL_LISTEN: "127.0.0.1:0",
  });
  const [line] = await gateway.program.matching(/^\{.*"msg":"listening".*\}$/m);
  const { portal } = JSON.parse(line) as { portal: string };
  const headers = { authorization: environment.GW_PORTAL_ACCESS_TOKENS };
  const ask = async (url: string, method = "GET") => (await fetch(url, { method, headers })).status;
  assert.is(await ask(`${portal}/api/portal/policies`), 200);
  assert.is(await ask(`${portal}/api/portal/requests/none`, "UPDATE"), 415);
  assert.is(await ask(`${portal}/orders/new`, "POST"), 404);
  assert.is(await ask(`${gateway.url}/api/portal/policies`), 404);
  assert.is(await ask(`${gateway.url}/orders/new`, "POST"), 401);
  assert.is(await gateway.program.stop(), 0);
});

test.run();
