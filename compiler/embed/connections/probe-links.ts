// Which function of the runtime tries out the connections of a component. In come names of documents; a component
// that connects to nothing has `undefined`. No gateway links any of these.

import { invariant } from "../../diagnostics/invariant.ts";
import type { RuntimeLink } from "../../emit/links.ts";
import type { ComponentRole } from "../../plan/plan.ts";

type Probes = Readonly<Record<string, RuntimeLink | undefined>>;

const amqp09 = { module: "runtime/connectors/amqp-0-9/probe.ts", symbol: "probeAmqp09" };
const amqp1 = { module: "runtime/connectors/amqp-1/probe.ts", symbol: "probeAmqp1" };
const url = { module: "runtime/probe-url.ts", symbol: "probeUrl" };
const kafka = { module: "runtime/connectors/kafka/probe.ts", symbol: "probeKafka" };
const kafkaFranz = { module: "runtime/connectors/kafka/franz/probe.ts", symbol: "probeKafkaFranz" };
const mqtt = { module: "runtime/connectors/mqtt/probe.ts", symbol: "probeMqtt" };
const nats = { module: "runtime/connectors/nats/probe.ts", symbol: "probeNats" };
const natsJetstream = { module: "runtime/connectors/nats/jetstream/probe.ts", symbol: "probeNatsJetstream" };
const natsKv = { module: "runtime/connectors/nats/kv/probe.ts", symbol: "probeNatsKv" };
const portal = { module: "runtime/connectors/portal-webhook/probe.ts", symbol: "probePortal" };
const redis = { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" };

/** What is both an input and an output. */
const connectors: Probes = {
  amqp_0_9: amqp09,
  amqp_1: amqp1,
  broker: undefined,
  file: undefined,
  http_client: url,
  http_server: undefined,
  inproc: undefined,
  kafka,
  kafka_franz: kafkaFranz,
  mqtt,
  nats,
  nats_jetstream: natsJetstream,
  nats_kv: natsKv,
  websocket: url,
  websocket_server: undefined,
};

const inputs: Probes = {
  ...connectors,
  batched: undefined,
  generate: undefined,
  read_until: undefined,
  sequence: undefined,
  stdin: undefined,
};

const outputs: Probes = {
  ...connectors,
  drop: undefined,
  drop_on: undefined,
  fallback: undefined,
  portal_webhook: portal,
  reject: undefined,
  reject_errored: undefined,
  retry: undefined,
  switch: undefined,
  sync_response: undefined,
};

/** All others work on messages alone. */
const processors: Probes = { http: url };

const resources: Readonly<Record<"cache" | "rate_limit", Probes>> = {
  cache: { memory: undefined, noop: undefined, redis },
  rate_limit: { local: undefined, redis },
};

const byRole: Readonly<Record<ComponentRole, Probes>> = {
  input: inputs,
  output: outputs,
  processor: processors,
  ...resources,
};

/** What an API passes requests on to. */
export const upstreamProbe: RuntimeLink = url;

/** The row of a component; a test holds that every component which may connect has one. */
export function findProbe(role: ComponentRole, name: string): RuntimeLink | undefined {
  const probes = byRole[role];
  invariant(
    role === "processor" || Object.hasOwn(probes, name),
    `what ${role} \`${name}\` connects to is known`,
  );
  return Object.hasOwn(probes, name) ? probes[name] : undefined;
}

/** All rows, for the test that proves them. */
export function probeRows(): Readonly<Record<ComponentRole, Probes>> {
  return byRole;
}
