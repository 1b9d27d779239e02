// Names on brokers and keys in Redis that two organisations would share, checked against the prefixes in their settings.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { check, createMemoryFileSystem } from "../../compiler/index.ts";

const acme = { organisation: "acme", variables: ["REGION"], files: [] };

/** Returns a resource that is declared in a stream whose pipeline uses it. */
const resources = (kind: "cache" | "rate_limit", redis: object) => ({
  input: { http_server: { path: "/new" } },
  [`${kind}_resources`]: [{ label: "shared", redis: { url: "redis://a", ...redis } }],
  pipeline: {
    processors: [
      kind === "cache"
        ? { cache: { resource: "shared", operator: "get", key: "a" } }
        : { rate_limit: { resource: "shared" } },
    ],
  },
});
const amqp = (source_address: string) => ({ amqp_1: { urls: ["amqp://a"], source_address } });
const jetstream = (more: object) => ({ nats_jetstream: { urls: ["nats://a"], ...more } });

/** Inputs, or parts of a stream, with a name that all clients of a broker share. */
const sharing: Readonly<Record<string, (name: string) => object>> = {
  kafka: (name) => ({ kafka: { addresses: ["a:9092"], topics: ["a"], consumer_group: name } }),
  kafka_client: (name) => ({
    kafka: { addresses: ["a:9092"], topics: ["a"], consumer_group: "acme-a", client_id: name },
  }),
  franz: (name) => ({ kafka_franz: { seed_brokers: ["a:9092"], topics: ["a"], consumer_group: name } }),
  nats: (name) => ({ nats: { urls: ["nats://a"], subject: "a", queue: name } }),
  durable: (name) => jetstream({ subject: "a", durable: name }),
  queue: (name) => jetstream({ subject: "a", queue: name }),
  bucket: (name) => ({ nats_kv: { urls: ["nats://a"], bucket: name } }),
  bucket_written: (name) => ({
    input: { http_server: { path: "/new" } },
    output: { nats_kv: { urls: ["nats://a"], bucket: name, key: "a" } },
  }),
  bucket_subject: (name) => ({ nats: { urls: ["nats://a"], subject: `$KV.${name}.a` } }),
  bucket_stream: (name) => jetstream({ stream: `KV_${name}`, subject: "a" }),
  amqp: (name) => ({ amqp_0_9: { urls: ["amqp://a"], queue: name } }),
  amqp_bare: amqp,
  amqp_rabbitmq_4: (name) => amqp(`/queues/${name}`),
  amqp_rabbitmq_3: (name) => amqp(`/queue/${name}`),
  amqp_rabbitmq_own: (name) => amqp(`/amq/queue/${name}`),
  amqp_activemq: (name) => amqp(`queue://${name}`),
  amqp_artemis: (name) => amqp(`orders::${name}`),
  amqp_azure: (name) => amqp(`orders/Subscriptions/${name}`),
  mqtt_client: (name) => ({ mqtt: { urls: ["tcp://a:1883"], topics: ["a"], client_id: name } }),
  mqtt_group: (name) => ({ mqtt: { urls: ["tcp://a:1883"], topics: ["b", `$share/${name}/a`] } }),
  nested: (name) => ({ broker: { inputs: [{ nats: { urls: ["nats://a"], subject: "a", queue: name } }] } }),
  cache: (prefix) => resources("cache", { prefix }),
  rate_limit: (key) => resources("rate_limit", { key, count: 1 }),
};

/** Resolves with the codes about shared names for a stream of `acme`, with the prefixes of its organisation and of others. */
async function sharedNamesOf(
  parts: object,
  groups: readonly string[] | undefined,
  groupsOfOthers: readonly string[] = [],
): Promise<readonly string[]> {
  const stream = { input: parts, output: { drop: {} }, ...("input" in parts && parts) };
  const { diagnostics } = await check(["orders.json"], {
    fileSystem: createMemoryFileSystem({ "orders.json": Buffer.from(JSON.stringify(stream)) }),
    tenant: { ...acme, ...(groups && { groups }), groupsOfOthers },
  });
  const others = diagnostics.filter(
    ({ severity, code }) => severity === "error" && !/^GW433|^GW408/.test(code),
  );
  assert.equal(others, [], JSON.stringify(parts));
  return diagnostics.map(({ code }) => code).filter((code) => /^GW433[4567]$/.test(code));
}

test("names in shared brokers must begin with a prefix of the organisation, if it has any", async () => {
  const names: readonly (readonly [string, boolean])[] = [
    ["acme-${REGION:x}", true],
    ["ac${REGION:me-x}", false],
    ["other", false],
    ["acme-a", true],
    ["${REGION:acme-x}", false],
    ["xacme-a", false],
    ["ACME-a", false],
  ];
  for (const [place, parts] of Object.entries(sharing))
    for (const [name, isAllowed] of place === "nats" ? names : names.slice(0, 3))
      assert.equal(
        await sharedNamesOf(parts(name), ["acme-"]),
        isAllowed ? [] : ["GW4334"],
        `${place}: ${name}`,
      );
  assert.equal(await sharedNamesOf(sharing.nats?.("other") ?? {}, undefined), []);
  assert.equal(await sharedNamesOf(sharing.nats?.("acme-a") ?? {}, []), ["GW4334"]);
});

test("no name may begin, or possibly begin, with a prefix of another organisation", async () => {
  const names: readonly (readonly [string, boolean])[] = [
    ["other", true],
    ["blue-a", false],
    ["bl${REGION:x}", false],
    ["acme-a", true],
    ["other-${REGION:x}", true],
    ["${REGION:x}", false],
    ["acme-blue-a", false],
  ];
  for (const [place, parts] of Object.entries(sharing))
    for (const [name, isAllowed] of place === "nats" ? names : names.slice(0, 3))
      assert.equal(
        await sharedNamesOf(parts(name), undefined, ["blue-", "acme-blue-"]),
        isAllowed ? [] : ["GW4337"],
        `${place}: ${name}`,
      );
});

test("the longest prefix determines the organisation of a name", async () => {
  const queue = (name: string, own: readonly string[], others: readonly string[]) =>
    sharedNamesOf(sharing.nats?.(name) ?? {}, own, others);
  assert.equal(await queue("acme-blue-a", ["acme-"], ["acme-blue-"]), ["GW4337"]);
  assert.equal(await queue("acme-blue-a", ["acme-blue-"], ["acme-"]), []);
  assert.equal(await queue("acme-a", ["acme-"], ["acme-"]), []);
  assert.equal(await queue("acme-${REGION}", ["acme-"], ["acme-blue-"]), ["GW4337"]);
});

test("Redis keys must begin with a prefix, if any organisation has one", async () => {
  for (const redis of [{}, { prefix: "" }]) {
    assert.equal(await sharedNamesOf(resources("cache", redis), undefined), []);
    assert.equal(await sharedNamesOf(resources("cache", redis), ["acme-"]), ["GW4336"]);
    assert.equal(await sharedNamesOf(resources("cache", redis), undefined, ["blue-"]), ["GW4336"]);
  }
  // The key after it could complete the prefix.
  assert.equal(await sharedNamesOf(resources("cache", { prefix: "bl" }), undefined, ["blue-"]), ["GW4337"]);
  assert.equal(
    await sharedNamesOf(resources("rate_limit", { key: "bl", count: 1 }), undefined, ["blue-"]),
    [],
  );
});

test("AMQP 1.0 addresses that name a queue are checked, in every notation", async () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ["/exchanges/orders/new", true],
    ["/topic/orders.*", true],
    ["topic://orders", true],
    ["/queues/%61cme-a", false],
    ["/queues/acme-%2Fa", true],
    ["queue://acme-a,queue://other", false],
    ["topic://orders::other", false],
    ["acme-topic/subscriptions/other", false],
    ["acme-address::other", false],
  ];
  for (const [address, isAllowed] of rows)
    assert.equal(await sharedNamesOf(amqp(address), ["acme-"]), isAllowed ? [] : ["GW4334"], address);
  assert.equal(await sharedNamesOf(amqp("/queues/%62lue-a"), undefined, ["blue-"]), ["GW4337"]);
});

test.run();
