// Messages published before the first client of a stream connects, with brokers that can keep them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats } from "@nats-io/transport-node";
import { connectAsync } from "mqtt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { kafka, mosquitto, nats, rabbitmq } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { connectRabbitmq } from "../harness/rabbitmq-client.ts";
import { until } from "../harness/wait.ts";
import { connectKafka } from "../runtime/connectors/kafka-client.ts";
import { buildAndStart } from "./gateway.ts";

const [natsServer, mqttServer, rabbit, kafkaBroker] = [
  await nats(),
  await mosquitto(),
  await rabbitmq(),
  await kafka(),
];
const name = unique("early").replaceAll("-", "");
const kafkaPeer = await connectKafka(kafkaBroker.address);
const natsPeer = await connectNats({ servers: natsServer.address });
const amqpPeer = await connectRabbitmq(rabbit.address);
const mqttPeer = await connectAsync(mqttServer.address);
test.after(async () => {
  await Promise.all([kafkaPeer.close(), natsPeer.close(), amqpPeer.close(), mqttPeer.endAsync()]);
  await Promise.all([natsServer.stop(), mqttServer.stop(), rabbit.stop(), kafkaBroker.stop()]);
});

test("durable subscriptions are created at start, and the first client gets messages published before", async () => {
  await (await jetstreamManager(natsPeer)).streams.add({ name, subjects: [`${name}.>`] });
  await jetstream(natsPeer).publish(`${name}.a`, "before the start");
  const topic = await kafkaPeer.createTopic(name, 1);
  const produce = (value: string) => kafkaPeer.producer.send({ topic, messages: [{ value }] });
  await produce("before the start");
  const document = join(temporaryDirectory("early"), "api.yaml");
  writeFileSync(
    document,
    `
openapi: 3.1.0
info: { title: Early, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    queue:
      input:
        amqp_0_9:
          urls: ["${rabbit.address}"]
          queue: ${name}
          queue_declare: { enabled: true }
          bindings_declare: [{ exchange: amq.topic, key: "${name}.*" }]
      output: { http_server: { path: /queue, timeout: 60s } }
    session:
      input: { mqtt: { urls: ["${mqttServer.address}"], client_id: ${name}, clean_session: false, topics: [${name}], qos: 1 } }
      output: { http_server: { path: /session, timeout: 60s } }
    consumer:
      input: { nats_jetstream: { urls: ["${natsServer.address}"], stream: ${name}, durable: d, deliver: new } }
      output: { http_server: { path: /consumer, timeout: 60s } }
    group:
      input: { kafka: { addresses: ["${kafkaBroker.address}"], topics: [${topic}], consumer_group: ${name}, start_from_oldest: false } }
      output: { http_server: { path: /group, timeout: 60s } }
`,
  );
  const gateway = await buildAndStart([document], { GW_STREAMING_ENABLED: "true" });
  await until(async () => (await statusesOf(gateway.adminUrl)).every((status) => status === "waiting"), {
    what: "four streams that wait for clients",
  });
  const channel = await amqpPeer.createConfirmChannel();
  channel.publish("amq.topic", `${name}.a`, Buffer.from("early"));
  await channel.waitForConfirms();
  await mqttPeer.publishAsync(name, "early", { qos: 1 });
  await jetstream(natsPeer).publish(`${name}.a`, "early");
  await produce("early");
  for (const path of ["queue", "session", "consumer", "group"]) {
    const response = await fetch(`${gateway.url}/${path}`);
    assert.equal([path, response.status, await response.text()], [path, 200, "early"]);
  }
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await channel.deleteQueue(name);
});

async function statusesOf(adminUrl: string): Promise<readonly string[]> {
  const { streams } = (await (await fetch(`${adminUrl}/streams`)).json()) as {
    streams: readonly { status: string }[];
  };
  return streams.map(({ status }) => status);
}

test.run();
