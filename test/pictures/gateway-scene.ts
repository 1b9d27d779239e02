// A gateway with traffic, and a stream that fails, for the operators' page.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildBundle, startBundle } from "../e2e/gateway.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { until } from "../harness/wait.ts";
import type { Scene } from "./scene.ts";

const orders = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
paths: { /status: { get: { security: [] } } }
x-gw-api-gateway:
  info: { name: Orders, id: orders, state: { active: true } }
  server: { listenPath: { value: /orders/ } }
  upstream: { url: "http://127.0.0.1:9" }
x-gw-streaming:
  streams:
    placed:
      input: { http_server: { path: /placed } }
      output: { inproc: placed-orders }
    confirmed:
      input: { inproc: placed-orders }
      output: { http_server: { stream_path: /confirmed } }
    prices:
      input: { generate: { interval: 200ms, mapping: 'root = { "price": random_int(min: 10, max: 20) }' } }
      output: { http_server: { ws_path: /prices } }
    audit:
      input: { generate: { interval: 50ms, mapping: 'root = { "event": uuid_v4() }' } }
      output: { drop: {} }
    archive:
      input: { websocket: { url: "ws://127.0.0.1:1/archive" } }
      output: { drop: {} }
`;

/** Starts the gateway, and lets it run until its charts show lines. */
export async function gatewayScene(): Promise<Scene> {
  const folder = temporaryDirectory("pictures-gateway");
  writeFileSync(join(folder, "orders.yaml"), orders);
  writeFileSync(join(folder, "gateway.yaml"), "streaming: { enabled: true }\napis: [orders.yaml]\n");
  const gateway = await startBundle(await buildBundle([join(folder, "gateway.yaml")]));
  const confirmed = new AbortController();
  void fetch(`${gateway.url}/orders/confirmed`, { signal: confirmed.signal }).catch(() => undefined);
  const sender = setInterval(() => {
    void fetch(`${gateway.url}/orders/placed`, { method: "POST", body: '{"id":1}' }).catch(() => undefined);
  }, 120);
  return {
    views: [
      {
        name: "gateway-overview",
        async show(page) {
          await page.goto(gateway.adminUrl);
          const looks = () =>
            page.evaluate(
              "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/streams')).length",
            );
          await until(async () => Number(await looks()) >= Number(process.env.LOOKS ?? 12), {
            what: "lines to see",
          });
        },
      },
      {
        name: "gateway-stream",
        async show(page) {
          await page.getByRole("link", { name: "audit" }).click();
          await page.getByRole("heading", { name: "audit" }).waitFor();
        },
      },
      {
        name: "gateway-routes",
        async show(page) {
          await page.getByRole("link", { name: "Routes" }).click();
          await page.getByRole("heading", { name: "Routes", level: 1 }).waitFor();
        },
      },
    ],
    async close() {
      clearInterval(sender);
      confirmed.abort();
      await gateway.program.stop();
    },
  };
}
