// The management service with an API that runs, and traffic.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../harness/directories.ts";
import { startSluice } from "../harness/sluice.ts";
import type { Scene } from "./scene.ts";

const key = "the-key-of-the-pictures";
const definition = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: Orders, id: orders, state: { active: true } }
  server: { listenPath: { value: /orders/ } }
x-gw-streaming:
  streams:
    placed:
      input: { label: placed_orders, http_server: { path: /placed } }
      pipeline:
        processors:
          - mapping: |
              root = this
              root.taken_at = now()
      output: { http_server: { stream_path: /events } }
    archive:
      input: { generate: { interval: 100ms, mapping: 'root = { "id": uuid_v4() }' } }
      output: { http_client: { url: "http://127.0.0.1:1/archive" } }
`;

/** Starts the service with a gateway in its process. */
export async function managementScene(): Promise<Scene> {
  const folder = temporaryDirectory("pictures-management");
  writeFileSync(join(folder, "management.yaml"), "tail: { enabled: true }\n");
  const served = startSluice(["serve", "management.yaml", "--all-in-one"], {
    cwd: folder,
    env: {
      GW_LISTEN: "127.0.0.1:0",
      GW_ADMIN_LISTEN: "127.0.0.1:0",
      GW_MANAGEMENT_API_KEYS: key,
      GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
      GW_MANAGEMENT_STREAMING_ENABLED: "true",
      GW_STORE_URL: `sqlite:${join(folder, "management.db")}`,
      GW_LOG_LEVEL: undefined,
    },
  });
  const [, address = ""] = await served.matching(/"management":"([^"]+)"/);
  const [, gateway = ""] = await served.matching(/"gateway":"(http[^"]+)"/);
  const headers = { authorization: key, "content-type": "application/vnd.gw.streams.oas" };
  const made = await fetch(`${address}/api/apis/streams`, { method: "POST", headers, body: definition });
  if (!made.ok) throw new Error(await made.text());
  const events = new AbortController();
  const sender = setInterval(() => {
    void fetch(`${gateway}/orders/placed`, { method: "POST", body: '{"id":1}' }).catch(() => undefined);
  }, 150);
  void fetch(`${gateway}/orders/events`, { signal: events.signal }).catch(() => undefined);
  return {
    views: [
      {
        name: "management-apis",
        async show(page) {
          await page.goto(address);
          await page.getByLabel("API key").fill(key);
          await page.getByRole("button", { name: "Show the APIs" }).click();
          await page.locator("#api-table .badge", { hasText: "blocked" }).waitFor();
        },
      },
      {
        name: "management-api",
        async show(page) {
          await page.getByRole("link", { name: "Orders" }).click();
          await page.locator("figure.stalled svg").waitFor();
          await page.getByText("Nothing is wrong.").waitFor();
        },
      },
      {
        name: "management-deployments",
        async show(page) {
          await page.getByRole("link", { name: "Deployments" }).click();
          await page.getByText("newest", { exact: true }).waitFor();
        },
      },
    ],
    async close() {
      clearInterval(sender);
      events.abort();
      await served.stop();
    },
  };
}
