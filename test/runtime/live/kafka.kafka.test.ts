import { type Admin, Kafka, logLevel } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { broadcast } from "../../../runtime/clients/distribution.ts";
import { resumableBroadcast } from "../../../runtime/clients/resumable-broadcast.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { createKafkaTopic } from "../../harness/brokers/kafka-topics.ts";
import { kafka } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { freePort } from "../../harness/ports.ts";
import { Queue } from "../../harness/queue.ts";
import { type SseClient, sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { deployed, liveGateway, mark, stateOf } from "./deployment.ts";

const test = suite("deployments on Kafka");
const broker = await kafka();
const addresses = [broker.address];
const client = new Kafka({ brokers: addresses, logLevel: logLevel.NOTHING });
const admin: Admin = client.admin();
const producer = client.producer({ metadataMaxAge: 0 });
await Promise.all([admin.connect(), producer.connect()]);
test.after(async () => {
  await Promise.all([admin.disconnect(), producer.disconnect()]);
  await broker.stop();
});

async function createTopic(partitions = 1): Promise<string> {
  const topic = unique("live");
  await createKafkaTopic(admin, topic, partitions);
  return topic;
}

async function send(topic: string, ...values: readonly string[]): Promise<void> {
  await producer.send({ topic, messages: values.map((value) => ({ value })) });
}

/** Reads everything that is written to a topic. */
async function readAll(topic: string): Promise<{ values: Queue<string>; close(): Promise<void> }> {
  const consumer = client.consumer({ groupId: unique("reader"), maxWaitTimeInMs: 100 });
  const values = new Queue<string>();
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({ eachMessage: async ({ message }) => values.push(String(message.value)) });
  return { values, close: () => consumer.disconnect() };
}

const input = (topic: string, group: string, more = {}) =>
  kafkaInput({ addresses, topics: [topic], consumer_group: group, commit_period: 50, ...more });

test("changing a mapping under load loses no message, and each message is processed by exactly one version", async () => {
  const [from, to, group] = [await createTopic(3), await createTopic(), unique("group")];
  const version = (number: number) =>
    deployed({
      s: {
        make: () => ({
          input: input(from, group),
          output: kafkaOutput({ addresses, topic: to }),
          pipeline: [mark(number)],
        }),
        digests: { pipeline: `${number}` },
      },
    });
  const { gateway, live } = await liveGateway([version(0)]);
  const written = await readAll(to);
  let sent = 0;
  let isOver = false;
  const load = (async () => {
    while (!isOver) {
      await send(from, ...Array.from({ length: 20 }, () => `${sent++}`));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const before = written.values.all.length;
    assert.equal(await live.apply([version(number)]), [{ api: "orders", outcome: "applied" }]);
    await until(() => written.values.all.slice(before).some((text) => text.endsWith(`-${number}`)));
  }
  isOver = true;
  await load;
  await until(() => written.values.all.length >= sent, { what: "every message" });
  const numbers = written.values.all.map((text) => Number.parseInt(text, 10)).sort((a, b) => a - b);
  assert.equal(
    numbers,
    Array.from({ length: sent }, (_, number) => number),
    "each exactly once",
  );
  // A reader of the topic may have the last records before the broker has confirmed them to the gateway.
  const delivered = () => stateOf(gateway)?.messages.delivered ?? 0;
  await until(() => delivered() >= sent, { what: "confirmed messages" });
  assert.is(delivered(), sent, "counters go on");
  await gateway.close();
  await written.close();
});

test("another topic and group replace the first without loss, and clients stay connected", async () => {
  const topics = [await createTopic(), await createTopic()] as const;
  const groups = [unique("group"), unique("group")] as const;
  const version = (number: 0 | 1) =>
    deployed({
      s: {
        make: () => ({
          input: input(topics[number], groups[number]),
          output: httpServerOutput({ path: "/out", distribution: broadcast }),
          pipeline: [mark(number)],
        }),
        digests: { input: `${number}`, pipeline: `${number}` },
      },
    });
  await send(topics[1], "later");
  const { gateway, live } = await liveGateway([version(0)]);
  const [events, frames] = [
    await sse(`${gateway.url}/orders/out`),
    await socket(`${gateway.url}/orders/out`),
  ];
  await until(() => stateOf(gateway)?.status === "running");
  await send(topics[0], "a", "b");
  await until(() => events.events.length === 2 && frames.messages.length === 2);
  assert.equal(await live.apply([version(1)]), [{ api: "orders", outcome: "applied" }]);
  // What was delivered before is committed, so no other member receives it again.
  const [offsets] = await admin.fetchOffsets({ groupId: groups[0], topics: [topics[0]] });
  assert.is(offsets?.partitions[0]?.offset, "2");
  assert.is((await admin.describeGroups([groups[0]])).groups[0]?.state, "Empty");
  const all = ["a-0", "b-0", "later-1"];
  assert.equal([await events.take(3), await frames.take(3)], [all, all]);
  await gateway.close();
  await events.ended;
});

test("if the new broker is unavailable, the previous input keeps reading and clients stay connected", async () => {
  const [topic, group] = [await createTopic(), unique("group")];
  const away = `127.0.0.1:${await freePort()}`;
  const version = (number: number, where: readonly string[]) =>
    deployed({
      s: {
        make: () => ({
          input: input(topic, group, { addresses: where }),
          output: httpServerOutput({ path: "/out", distribution: broadcast }),
          pipeline: [mark(number)],
        }),
        digests: { input: where.join(), pipeline: `${number}` },
      },
    });
  const { gateway, live } = await liveGateway([version(1, addresses)]);
  const events = await sse(`${gateway.url}/orders/out`);
  await until(() => stateOf(gateway)?.status === "running");
  await send(topic, "a");
  await events.take(1);
  const [outcome] = await live.apply([version(2, [away])]);
  assert.is(outcome?.outcome, "rolled back");
  await send(topic, "b");
  assert.equal(await events.take(1), ["b-1"], "what is read after the rollback, from where it was left");
  await gateway.close();
});

test("a reconnecting client resumes at its position after its mapping and topic change", async () => {
  const topics = [await createTopic(), await createTopic()] as const;
  const version = (topic: number, pipeline: number) =>
    deployed({
      s: {
        make: () => ({
          input: input(topics[topic] ?? "", `${topics[topic]}-group`),
          output: httpServerOutput({ path: "/out", distribution: resumableBroadcast }),
          pipeline: [mark(pipeline)],
        }),
        digests: { input: `${topic}`, pipeline: `${pipeline}` },
      },
    });
  const { gateway, live } = await liveGateway([version(0, 1)]);
  const connect = (from?: SseClient) =>
    sse(`${gateway.url}/orders/out`, {
      headers: from === undefined ? {} : { "last-event-id": from.events.at(-1)?.id ?? "" },
    });
  const steady = await connect();
  const leaving = await connect();
  await until(() => stateOf(gateway)?.status === "running");
  await send(topics[0], "a");
  await until(() => leaving.events.length === 1 && steady.events.length === 1);
  leaving.close();
  await until(() => stateOf(gateway)?.clients === 1);
  await live.apply([version(0, 2)]);
  await send(topics[0], "b");
  await until(() => steady.events.length === 2);
  const back = await connect(leaving);
  assert.equal(await back.take(1), ["b-2"]);
  await live.apply([version(1, 2)]);
  await send(topics[1], "c");
  await until(() => steady.events.length === 3 && back.events.length === 2);
  back.close();
  await until(() => stateOf(gateway)?.clients === 1);
  await send(topics[1], "d");
  await until(() => steady.events.length === 4);
  const again = await connect(back);
  assert.equal(await again.take(1), ["d-2"]);
  await gateway.close();
});

test.run();
