import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Kafka, logLevel } from "kafkajs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createKafkaTopic } from "../harness/brokers/kafka-topics.ts";
import { kafka } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { type SseClient, sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";
import { buildBundle, startBundle } from "./gateway.ts";

const broker = await kafka();
const client = new Kafka({ brokers: [broker.address], logLevel: logLevel.NOTHING });
const admin = client.admin();
// The tests add partitions: by default, kafkajs would not write to partitions that it does not know yet.
const producer = client.producer({ metadataMaxAge: 0 });
await Promise.all([admin.connect(), producer.connect()]);

async function createTopic(partitions: number): Promise<string> {
  const topic = unique("news");
  await createKafkaTopic(admin, topic, partitions);
  return topic;
}

/** Writes one text to one partition. */
async function publish(topic: string, partition: number, value: string): Promise<void> {
  await producer.send({ topic, messages: [{ value, partition }] });
}

/** Returns a document that broadcasts the messages of a topic, in a file of its own. */
function document(input: string): string {
  const file = join(temporaryDirectory("news"), "news.yaml");
  writeFileSync(
    file,
    `openapi: 3.1.0
info: { title: News, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    news:
      input:
        ${input}
      pipeline:
        processors:
          - mapping: root = if content() == "-" { deleted() } else { content().uppercase() }
      output:
        http_server: { stream_path: /news, distribution: broadcast }
`,
  );
  return file;
}

const environment = { KAFKA: broker.address };
const textsOf = ({ events }: SseClient) => events.map(({ data }) => data).toSorted();
const has = (client: SseClient, text: string) => client.events.some(({ data }) => data === text);
const lastIdOf = ({ events }: SseClient) => events.at(-1)?.id;

test("events of several partitions resume after a disconnect of the client, and a gateway restart", async () => {
  const [topic, group] = [await createTopic(3), unique("readers")];
  const file = document(
    `kafka: { addresses: ["\${KAFKA}"], topics: [${topic}], consumer_group: ${group}, commit_period: 100ms }`,
  );
  const bundle = await buildBundle([file]);
  let gateway = await startBundle(bundle, environment);
  const connectAt = (id?: string) =>
    sse(`${gateway.url}/news`, id === undefined ? {} : { headers: { "last-event-id": id } });

  const first = await connectAt();
  await publish(topic, 0, "a");
  await until(() => has(first, "A"));
  await publish(topic, 1, "b");
  await until(() => has(first, "B"));
  const id = lastIdOf(first);
  first.close();
  const other = await connectAt();
  // The client had received nothing from the third partition when it left.
  for (const [partition, text] of ["c", "-", "d"].entries()) await publish(topic, partition, text);
  await until(() => has(other, "C") && has(other, "D"));
  const back = await connectAt(id);
  await until(() => has(back, "C") && has(back, "D"));
  await publish(topic, 1, "e");
  await until(() => has(back, "E") && has(other, "E"));
  assert.equal(textsOf(back), ["C", "D", "E"]);

  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  assert.equal(
    committed?.partitions.toSorted((a, b) => a.partition - b.partition).map(({ offset }) => offset),
    ["2", "3", "1"],
    "a reader of a single client stores nothing",
  );
  await publish(topic, 2, "f");
  gateway = await startBundle(bundle, environment);
  const later = await connectAt(id);
  await publish(topic, 0, "g");
  await until(() => ["E", "F", "G"].every((text) => has(later, text)));
  // The gateway reads the partitions in parallel to catch up.
  assert.equal(textsOf(later).toSorted(), ["C", "D", "E", "F", "G"]);
  later.close();
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  assert.not.match(gateway.program.output(), /Warning/, "kafkajs by itself sets timers in the past");
});

test("no event of an added partition or a recreated topic is lost", async () => {
  const topic = await createTopic(1);
  const file = document(
    `kafka: { addresses: ["\${KAFKA}"], topics: [${topic}], consumer_group: ${unique("readers")} }`,
  );
  const connectAt = (url: string, id?: string) =>
    sse(`${url}/news`, id === undefined ? {} : { headers: { "last-event-id": id } });
  const bundle = await buildBundle([file]);
  let gateway = await startBundle(bundle, environment);
  const first = await connectAt(gateway.url);
  for (const text of ["a", "b", "c"]) await publish(topic, 0, text);
  await until(() => has(first, "C"));
  assert.is(await gateway.program.stop(), 0, gateway.program.output());

  await admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] });
  await until(async () => (await admin.fetchTopicOffsets(topic)).length === 2);
  await publish(topic, 1, "d");
  gateway = await startBundle(bundle, environment);
  // Another client receives the message first: the stream itself does not read it again.
  const other = await connectAt(gateway.url);
  await until(() => has(other, "D"));
  const back = await connectAt(gateway.url, lastIdOf(first));
  await until(() => has(back, "D"));
  assert.equal([...new Set(textsOf(back))], ["D"]);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());

  await admin.deleteTopics({ topics: [topic] });
  await until(async () => !(await admin.listTopics()).includes(topic));
  await createKafkaTopic(admin, topic, 2);
  await publish(topic, 0, "e");
  gateway = await startBundle(bundle, environment);
  const later = await connectAt(gateway.url);
  await until(() => has(later, "E"));
  const again = await connectAt(gateway.url, lastIdOf(back));
  await until(() => has(again, "E"));
  assert.equal([...new Set(textsOf(again))], ["E"]);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
});

test("gateways without a consumer group deliver every event to every client, also of new partitions", async () => {
  const topic = await createTopic(1);
  const file = document(
    `kafka_franz:
          seed_brokers: ["\${KAFKA}"]
          topics: [${topic}]
          consumer_group: ""
          start_from_oldest: false
          fetch_max_wait: 100ms
          batching: { count: 2, period: 50ms }`,
  );
  const bundle = await buildBundle([file]);
  const gateways = await Promise.all([0, 1].map(() => startBundle(bundle, environment)));
  const [one, two] = gateways;
  const first = await sse(`${one?.url}/news`);
  let count = 0;
  // The input determines the position of "now" while it starts, which the test cannot observe.
  await until(async () => {
    await publish(topic, 0, `a${count++}`);
    return first.events.length > 0;
  });
  await publish(topic, 0, "b");
  await until(() => has(first, "B"));
  const id = lastIdOf(first) ?? "";
  assert.is(await one?.program.stop(), 0, one?.program.output());
  await admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] });
  await until(async () => (await admin.fetchTopicOffsets(topic)).length === 2);
  await publish(topic, 0, "c");
  await publish(topic, 1, "d");
  const back = await sse(`${two?.url}/news`, { headers: { "last-event-id": id } });
  await until(() => has(back, "C") && has(back, "D"));
  await publish(topic, 1, "e");
  await until(() => has(back, "E"));
  assert.equal([...new Set(textsOf(back))], ["C", "D", "E"]);
  back.close();
  assert.is(await two?.program.stop(), 0, two?.program.output());
});

test("the broker stops", async () => {
  await Promise.all([admin.disconnect(), producer.disconnect()]);
  await broker.stop();
});

test.run();
