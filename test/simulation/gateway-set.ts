// The documents that the replicas serve: one stream for each thing that replicas share.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { sluice } from "../harness/sluice.ts";

/** The supported stores of leases. */
export const leaseStores = ["redis", "postgres", "jetstream"] as const;
export type LeaseStoreName = (typeof leaseStores)[number];

/** Milliseconds; a busy machine's pauses would lose a shorter lease. */
const term = 2_000;

/**
 * Keys as callers present them: all replicas together accept `few` a limited number of times, `many` without a limit.
 */
export const keys = { few: "the-key-of-few", many: "the-key-of-many" } as const;

const doors = { openapi: "3.1.0", info: { title: "Shared", version: "1.0.0" }, paths: {} };

const gateway = {
  components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
  security: [{ key: [] }],
  "x-gw-api-gateway": {
    info: { id: "shared" },
    server: { listenPath: { value: "/shared/" }, authentication: { enabled: true } },
  },
};

const streams = {
  // Not partitioned: a lease lets one replica at a time run it.
  beats: {
    input: {
      generate: {
        interval: "20ms",
        mapping: `root = {"life": env("LIFE"), "at": timestamp_unix_milli()}`,
      },
    },
    output: { http_client: { url: "${SINK}/beats", retries: 0 } },
  },
  // The load balancer divides the requests.
  orders: {
    input: { http_server: { path: "/orders" } },
    output: { http_client: { url: "${SINK}/orders", retries: 0 } },
  },
};

/** Messages that go into the store that all replicas share, and from there to webhooks. */
const events = {
  input: { http_server: { path: "/events" } },
  output: { portal_webhook: { event_type: "number" } },
};

/** The contents of a bundle. */
export interface ReplicasPlan {
  readonly leases: LeaseStoreName;
  /** How often the key `few` may be used. */
  readonly quota: number;
  /** Inputs that brokers divide, by the names of their streams. */
  readonly inputs: Readonly<Record<string, object>>;
  /** Whether there is a portal, in `STORE`. */
  readonly hasPortal: boolean;
}

/** Builds the bundle into `folder`. */
export async function buildReplicas(folder: string, plan: ReplicasPlan): Promise<string> {
  const { leases, quota, inputs, hasPortal } = plan;
  const divided = Object.entries(inputs).map(([name, input]) => [
    name,
    { input, output: { http_client: { url: `\${SINK}/${name}`, retries: 0 } } },
  ]);
  const api = {
    ...doors,
    ...gateway,
    "x-gw-streaming": {
      streams: { ...streams, ...Object.fromEntries(divided), ...(hasPortal && { events }) },
    },
  };
  const address = leases === "jetstream" ? { urls: ["${LEASES}"], bucket: "${NAME}" } : "${LEASES}";
  const rights = { access_rights: { shared: {} } };
  const keyOf = (key: string, policy: string) => ({
    key_hash: createHash("sha256").update(key).digest("hex"),
    apply_policies: [policy],
  });
  const set = {
    apis: ["api.yaml"],
    streaming: { enabled: true },
    leases: { [leases]: address, term: `${term}ms`, prefix: "${NAME}" },
    // A limit is exact only if a replica that cannot reach Redis refuses requests.
    redis: { url: "${LIMITS}", prefix: "${NAME}:", when_away: "refuse" },
    ...(hasPortal && {
      store: "${STORE}",
      portal: { enabled: true },
      webhooks: {
        allow_private: true,
        // An overloaded machine takes seconds to respond, and the receiver would get the webhook again.
        timeout: "10s",
        retry_period: "200ms",
        max_retry_backoff: "500ms",
        max_attempts: 100,
      },
    }),
    policies: [
      { id: "few", quota_max: quota, quota_renewal_rate: 86_400, ...rights },
      { id: "many", ...rights },
    ],
    keys: [keyOf(keys.few, "few"), keyOf(keys.many, "many")],
  };
  writeFileSync(join(folder, "api.yaml"), stringify(api));
  writeFileSync(join(folder, "gateway.yaml"), stringify(set));
  const out = join(folder, "out");
  const built = await sluice(["build", join(folder, "gateway.yaml"), "-o", out]);
  if (built.status !== 0) throw new Error(`sluice build failed:\n${built.stdout}${built.stderr}`);
  return out;
}
