// The clock of the machine is set while a gateway runs, like NTP does after a start without a network.

import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { folderWith } from "../cli/documents.ts";
import { apiOf } from "../harness/api-documents.ts";
import { httpServer, type Reply } from "../harness/http-server.ts";
import { sse } from "../harness/sse-client.ts";
import { until, within } from "../harness/wait.ts";
import { wrongClock } from "../harness/wrong-clock.ts";
import { buildBundle, startBundle } from "./gateway.ts";

test("a clock step forward during a drain does not shorten the shutdown timeout of requests in flight", async () => {
  const answers = new Map<string, (reply: Reply) => void>();
  const server = await httpServer(({ path }) => new Promise((resolve) => answers.set(path, resolve)));
  const document = apiOf(
    `orders:
  input: { http_server: { path: /new } }
  output: { http_client: { url: "\${SERVER}/orders", retries: 0, timeout: 60s } }
`,
    { id: "shop" },
  ).replace("  server:\n", '  upstream: { url: "${SERVER}" }\n  server:\n');
  const folder = folderWith({ "api.yaml": document });
  const clock = wrongClock(folder, "gateway", 0);
  const gateway = await startBundle(await buildBundle([join(folder, "api.yaml")]), {
    SERVER: server.url,
    GW_SHUTDOWN_TIMEOUT: "60s",
    ...clock.env,
  });
  const order = fetch(`${gateway.url}/shop/new`, { method: "POST", body: "{}" });
  const proxied = fetch(`${gateway.url}/shop/report`);
  await until(() => answers.size === 2, { what: "both requests at the server" });
  const stopped = gateway.program.stop();
  await gateway.program.matching(/"msg":"stopping"/);
  clock.set(60);
  gateway.program.process.kill("SIGUSR2");
  await gateway.program.matching(/"msg":"clock set"/);
  // Streams stop first; other requests get the time that remains.
  answers.get("/orders")?.({});
  assert.is((await order).status, 200, gateway.program.output());
  await gateway.program.matching(/"msg":"stream stopped"/);
  answers.get("/report")?.({});
  assert.is((await proxied).status, 200, gateway.program.output());
  assert.is(await stopped, 0);
  await server.close();
});

test("a clock step backward does not extend a revoked token, for open and for new connections", async () => {
  let isTakenBack = false;
  const issuer = await httpServer(() => ({ body: { active: !isTakenBack, sub: "ann" } }));
  const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
components:
  securitySchemes:
    asked: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://issuer.example/token", scopes: {} } } }
security: [{ asked: [] }]
x-gw-api-gateway:
  info: { id: shop, name: shop, state: { active: true } }
  server:
    listenPath: { value: /shop/ }
    authentication:
      enabled: true
      securitySchemes:
        asked:
          enabled: true
          defaultPolicies: [all]
          introspection: { url: "\${ISSUER}/introspect", cacheTimeout: 500ms, recheckInterval: 200ms }
x-gw-streaming:
  streams:
    orders:
      input: { http_server: { path: /new } }
      output: { http_server: { path: /next, stream_path: /events } }
`;
  const folder = folderWith({
    "shop.yaml": document,
    "gateway.yaml": `streaming: { enabled: true }
apis: [shop.yaml]
policies: [{ id: all, access_rights: { shop: {} } }]
`,
  });
  const clock = wrongClock(folder, "gateway", 0);
  const gateway = await startBundle(await buildBundle([join(folder, "gateway.yaml")]), {
    ISSUER: issuer.url,
    ...clock.env,
  });
  const headers = { authorization: "Bearer taken-back-later" };
  const open = await sse(`${gateway.url}/shop/events`, { headers });
  clock.set(-60);
  gateway.program.process.kill("SIGUSR2");
  await gateway.program.matching(/"msg":"clock set"/);
  isTakenBack = true;
  await within(open.ended, { what: "the end of the event stream" });
  assert.is(open.events.at(-1)?.event, "closed");
  await until(
    async () =>
      (await fetch(`${gateway.url}/shop/new`, { method: "POST", body: "{}", headers })).status === 403,
    { what: "the refusal of the token" },
  );
  assert.is(await gateway.program.stop(), 0);
  await issuer.close();
});

test.run();
