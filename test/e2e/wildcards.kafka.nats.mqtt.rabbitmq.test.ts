// Inputs that subscribe use values of requests as literals.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect as connectNats } from "@nats-io/transport-node";
import { connectAsync } from "mqtt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { kafka, mosquitto, nats, rabbitmq } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { connectRabbitmq } from "../harness/rabbitmq-client.ts";
import { sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";
import { buildAndStart } from "./gateway.ts";
import { freshTopics } from "./topics.ts";

const mark = unique("rides").replaceAll(/[^a-z0-9]/gi, "");
const [natsServer, mqttBroker, rabbit, kafkaBroker] = await Promise.all([
  nats(),
  mosquitto(),
  rabbitmq(),
  kafka(),
]);
const natsPeer = await connectNats({ servers: natsServer.address });
const manager = await jetstreamManager(natsPeer);
await manager.streams.add({ name: `${mark}_jets`, subjects: [`${mark}.jets.>`] });
await new Kvm(natsPeer).create(mark);
const mqttPeer = await connectAsync(mqttBroker.address);
const amqpPeer = await connectRabbitmq(rabbit.address);
const channel = await amqpPeer.createConfirmChannel();
const topics = await freshTopics(kafkaBroker.address, [`${mark}.ann`, `${mark}.bob`]);

/** One stream for each subscribing input, with a variable as a part of a pattern and as the whole pattern. */
const inputs: Readonly<Record<string, string>> = {
  nats: `nats: { urls: ["\${NATS}"], subject: ${mark}.*.$gw_context.path_params_driver }`,
  nats_whole: `nats: { urls: ["\${NATS}"], subject: $gw_context.request_data_subject }`,
  nats_allowed: `nats: { urls: ["\${NATS}"], subject: ${mark}.*.$gw_context.path_params_driver, allow_wildcards: true }`,
  jetstream: `nats_jetstream: { urls: ["\${NATS}"], stream: ${mark}_jets, subject: ${mark}.jets.$gw_context.path_params_driver }`,
  kv: `nats_kv: { urls: ["\${NATS}"], bucket: ${mark}, key: $tyk_context.path_params_driver }`,
  mqtt: `mqtt: { urls: ["\${MQTT}"], topics: ["${mark}/+/$gw_context.headers_X_Driver"] }`,
  kafka: `kafka: { addresses: ["\${KAFKA}"], topics: [${mark}.$gw_context.path_params_driver], start_from_oldest: true }`,
  franz: `kafka_franz: { seed_brokers: ["\${KAFKA}"], topics: ["^${mark}.$gw_context.path_params_driver$"], regexp_topics: true }`,
  amqp: `amqp_0_9: { urls: ["\${RABBITMQ}"], queue: ${mark}-$gw_context.path_params_driver, queue_declare: { enabled: true, auto_delete: true }, bindings_declare: [{ exchange: amq.topic, key: ${mark}.*.$gw_context.path_params_driver }] }`,
  amqp_one: `amqp_1: { urls: ["\${RABBITMQ}"], source_address: /topic/${mark}.one.$gw_context.path_params_driver }`,
};
const streams = Object.entries(inputs).map(
  ([name, input]) => `    ${name}:
      input: { ${input} }
      output: { http_server: { stream_path: "/${name}/{driver}" } }
`,
);
const file = join(temporaryDirectory("wildcards"), "rides.yaml");
writeFileSync(
  file,
  `openapi: 3.1.0
info: { title: Rides, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
${streams.join("")}`,
);
const gateway = await buildAndStart([file], {
  NATS: natsServer.address,
  MQTT: mqttBroker.address,
  RABBITMQ: rabbit.address,
  KAFKA: kafkaBroker.address,
});
test.after(async () => {
  await gateway.program.stop();
  await Promise.all([natsPeer.close(), mqttPeer.endAsync(), amqpPeer.close(), topics.close()]);
  await Promise.all([natsServer, mqttBroker, rabbit, kafkaBroker].map((each) => each.stop()));
});

/** Sends requests as the driver, in each way that one of the streams reads it. */
function ask(
  stream: string,
  driver: string,
): { readonly url: string; readonly headers: Record<string, string> } {
  const subject = stream === "nats_whole" && driver === "ann" ? `${mark}.whole.ann` : driver;
  const url = `${gateway.url}/${stream}/${encodeURIComponent(driver)}?subject=${encodeURIComponent(subject)}`;
  const isHeader = /^[\x21-\x7e]+$/.test(driver);
  return { url, headers: { accept: "text/event-stream", ...(isHeader && { "x-driver": driver }) } };
}

const wild: Readonly<Record<string, readonly string[]>> = {
  nats: ["*", ">", "ann.bob", "ann*", "a b", "ann\u00a0bob"],
  nats_whole: ["*", ">", `${mark}.>`, `${mark}.*.ann`, "a b", "a..b"],
  jetstream: ["*", ">", "ann.bob", "ann>"],
  kv: ["*", ">", "ann.*", "a b"],
  mqtt: ["+", "#", "ann/bob", "ann,x", "ann#"],
  kafka: ["*", "ann:0", "ann,bob", ".*"],
  franz: [".*", "ann|.*", "a.n", "[a-z]+"],
  amqp: ["*", "#", "ann.bob", "ann#"],
  amqp_one: ["*", "#", "ann.bob", "ann/bob", "%23"],
};

for (const [stream, values] of Object.entries(wild)) {
  test(`${stream}: wildcards in subscription values get 400`, async () => {
    for (const value of values) {
      const { url, headers } = ask(stream, value);
      const response = await fetch(url, { headers });
      const answer = await response.text();
      assert.is(response.status, 400, `${value}: ${response.status} ${answer}`);
      assert.match(JSON.parse(answer).error, /^The (?:path parameter|header|query parameter) /);
    }
  });
}

test("rejected requests create no subscriptions", async () => {
  const { streams: states } = JSON.parse(await (await fetch(`${gateway.adminUrl}/streams`)).text());
  assert.equal(states, []);
});

const publish: Readonly<Record<string, (driver: string) => Promise<unknown>>> = {
  nats: async (driver) => natsPeer.publish(`${mark}.normal.${driver}`, driver),
  nats_whole: async (driver) => natsPeer.publish(`${mark}.whole.${driver}`, driver),
  jetstream: (driver) => jetstream(natsPeer).publish(`${mark}.jets.${driver}`, driver),
  kv: async (driver) => (await new Kvm(natsPeer).create(mark)).put(driver, driver),
  mqtt: (driver) => mqttPeer.publishAsync(`${mark}/normal/${driver}`, driver, { qos: 1 }),
  amqp: async (driver) => channel.publish("amq.topic", `${mark}.normal.${driver}`, Buffer.from(driver)),
  amqp_one: async (driver) => channel.publish("amq.topic", `${mark}.one.${driver}`, Buffer.from(driver)),
};

for (const [stream, send] of Object.entries(publish)) {
  test(`${stream}: a client receives only its own messages`, async () => {
    const { url, headers } = ask(stream, "ann");
    const client = await sse(url, { headers });
    // A subscription may still be starting: bob's message before each of ann's would arrive first.
    await until(async () => {
      await send("bob");
      await send("ann");
      return client.events.length > 0;
    });
    assert.equal([...new Set(client.events.map(({ data }) => data))], ["ann"]);
    client.close();
  });
}

test("`allow_wildcards` allows wildcards of clients", async () => {
  const { url, headers } = ask("nats_allowed", "*");
  const client = await sse(url, { headers });
  await until(async () => {
    natsPeer.publish(`${mark}.normal.bob`, "bob");
    return client.events.some(({ data }) => data === "bob");
  });
  client.close();
  const { url: broken } = ask("nats_allowed", "a b");
  assert.is((await fetch(broken, { headers })).status, 400);
});

test.run();
