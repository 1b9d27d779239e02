// A set with rate limits and quotas, written like users write it.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../harness/directories.ts";
import { type BuiltGateway, buildAndStart } from "./gateway.ts";

const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
security: [{ key: [] }]
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Api-Key }
x-gw-api-gateway:
  info: { id: orders }
  server:
    listenPath: { value: /orders/ }
    authentication: { enabled: true }
  middleware:
    global:
      requestSizeLimit: { enabled: true, value: 100 }
      connectionLimit: { enabled: true, max: 4 }
      messageRateLimit: { enabled: true, fromClient: { rate: 2, per: 24h }, whenExceeded: close }
  upstream:
    rateLimit: { enabled: true, rate: 20, per: 24h }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /new, ws_path: /in } }
      output: { http_client: { url: "\${BACKEND}/orders", retries: 0 } }
    ticks:
      input: { generate: { interval: 1h, mapping: root.id = 1 } }
      output: { http_server: { stream_path: /ticks } }
`;

/** The keys that callers send, by their names. */
export const keyNames = { rate: "rate-key", quota: "quota-key", free: "free-key" } as const;

const hashOf = (key: string) => createHash("sha256").update(key).digest("hex");

const set = `streaming: { enabled: true }
apis: [orders.yaml]
policies:
  - { id: rated, rate: 5, per: 86400, access_rights: { orders: { versions: [Default] } } }
  - { id: counted, quota_max: 3, quota_renewal_rate: 86400, access_rights: { orders: { versions: [Default] } } }
keys:
  - { key_hash: ${hashOf(keyNames.rate)}, apply_policies: [rated] }
  - { key_hash: ${hashOf(keyNames.quota)}, apply_policies: [counted] }
  - { key_hash: ${hashOf(keyNames.free)}, access_rights: { orders: { versions: [Default] } } }
`;

/** Builds the set and runs it. */
export async function startLimited(
  backend: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BuiltGateway> {
  const folder = temporaryDirectory("limited");
  writeFileSync(join(folder, "orders.yaml"), document);
  writeFileSync(join(folder, "gateway.yaml"), set);
  return buildAndStart([join(folder, "gateway.yaml")], { BACKEND: backend, ...env });
}

/** Resolves with the statuses of this many requests. Each has its own connection, so that every worker gets some. */
export async function callTimes(
  gateway: Pick<BuiltGateway, "url">,
  count: number,
  key: string,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let each = 0; each < count; each += 1) {
    const response = await fetch(`${gateway.url}/orders/new`, {
      method: "POST",
      body: "{}",
      headers: { "x-api-key": key, connection: "close" },
    });
    statuses.push(response.status);
  }
  return statuses;
}

/** Counts each status. */
export function tally(statuses: readonly number[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(statuses, (status) => String(status));
  return Object.fromEntries([...groups].map(([status, all]) => [status, all.length]));
}
