// `node bench/portal.ts`: measures how long a portal with a thousand requests in its embedded store takes to list a
// page of them, and to approve one, which creates a key. Over HTTP on a loopback connection, as administrators use
// it. With `--check`, the exit code is 1 if a goal is missed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveGateway } from "../runtime/gateway/serve.ts";
import { storeKeys } from "../runtime/keys/store-keys.ts";
import { portal } from "../runtime/portal/portal.ts";
import { createLogger } from "../runtime/process/log.ts";
import { gatewayStore } from "../runtime/store/gateway-store.ts";

/** Number of requests in the store. */
const count = 1_000;
const rounds = 300;
/** Maximum median in milliseconds. */
const goals = { page: 10, approval: 20 };

const folder = mkdtempSync(join(tmpdir(), "portal-bench-"));
const gateway = await serveGateway(
  {
    streaming: { enabled: true },
    apis: [],
    store: (env) => gatewayStore(env),
    keys: () => storeKeys({}),
    portal: (env) => portal(env, {}),
  },
  {
    log: createLogger("silent"),
    environment: {
      GW_LISTEN: "127.0.0.1:0",
      GW_ADMIN_LISTEN: "127.0.0.1:0",
      GW_STORE_URL: `sqlite:${join(folder, "gateway.db")}`,
      GW_PORTAL_ACCESS_TOKENS: "the-token-of-administrators",
    },
  },
);

/** Returns the response. Throws if it is a refusal, which would distort the measurement. */
async function ask(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${gateway.addresses.gateway}/api/portal${path}`, {
    method,
    headers: {
      authorization: "the-token-of-administrators",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function make(path: string, body: object): Promise<string> {
  return String((await ask("POST", path, body)).Message);
}

/** Returns the median duration of `runs` in milliseconds. */
async function median(runs: readonly (() => Promise<unknown>)[]): Promise<number> {
  const times: number[] = [];
  for (const run of runs) {
    const begun = performance.now();
    await run();
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

function line(name: string, time: number, goal: number): void {
  const isReached = time < goal;
  if (!isReached && process.argv.includes("--check")) process.exitCode = 1;
  console.log(
    `${isReached ? "    " : "miss"}  ${name.padEnd(48)} ${time.toFixed(2)} ms at the median (under ${goal})`,
  );
}

try {
  const policy = await make("/policies", { name: "gold", access_rights: { orders: {} } });
  const ids: string[] = [];
  // Create ten requests per developer.
  for (let each = 0; each < count / 10; each += 1) {
    const user = await make("/developers", { email: `${each}@example.com`, password: "a long password 1" });
    for (let request = 0; request < 10; request += 1)
      ids.push(await make("/requests", { by_user: user, apply_policies: [policy], version: "v2" }));
  }
  const pages = Array.from({ length: rounds }, (_, at) => () => ask("GET", `/requests?p=${1 + (at % 100)}`));
  line(`portal: list page, of ${count} requests`, await median(pages), goals.page);
  const approvals = ids.slice(0, rounds).map((id) => () => ask("PUT", `/requests/approve/${id}`));
  line("portal: approve, token", await median(approvals), goals.approval);
} finally {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
}
