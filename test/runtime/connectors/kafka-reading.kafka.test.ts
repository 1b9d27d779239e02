import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Input } from "../../../runtime/component/component.ts";
import { kafkaFranzInput } from "../../../runtime/connectors/kafka/franz/input.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { inputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { kafka } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { componentContext, inputContext } from "./contexts.ts";
import { connectKafka } from "./kafka-client.ts";

const test = suite("kafka reading");
const broker = await kafka();
const addresses = [broker.address];
const peer = await connectKafka(broker.address);
const { admin, client, producer } = peer;
test.after(async () => {
  await peer.close();
  await broker.stop();
});

const createTopic = (partitions = 1, name = unique("read")) => peer.createTopic(name, partitions);

/** Writes one record to each partition. Its text is the number of the partition. */
async function fill(topic: string, partitions: number): Promise<void> {
  const messages = Array.from({ length: partitions }, (_, partition) => ({
    partition,
    value: `${topic.slice(-4)} ${partition}`,
  }));
  await producer.send({ topic, messages });
}

async function readAll(input: Input, count: number): Promise<string[]> {
  const context = inputContext();
  await input.start(context);
  const deliveries = await context.deliveries.take(count);
  for (const { confirm } of deliveries) confirm();
  await input.close();
  return deliveries.map(({ text }) => text).toSorted();
}

test("partitions can be selected, in both spellings, but not along with topics that a group shares", async () => {
  const [some, whole] = [await createTopic(5), await createTopic(2)];
  await Promise.all([fill(some, 5), fill(whole, 2)]);
  const topics = [`${some}:4, ${some}:0-1`, whole];
  const chosen = [
    ...[0, 1, 4].map((partition) => `${some.slice(-4)} ${partition}`),
    ...[0, 1].map((partition) => `${whole.slice(-4)} ${partition}`),
  ].toSorted();
  assert.equal(await readAll(kafkaInput({ addresses, topics }), 5), chosen);
  assert.equal(await readAll(kafkaFranzInput({ seed_brokers: addresses, topics }), 5), chosen);
  for (const options of [{ topics, consumer_group: "group" }, { topics: [`${some}:9`] }]) {
    const input = kafkaInput({ addresses, ...options });
    const failure = await input.start(inputContext()).catch((error: unknown) => error);
    assert.instance(failure, GatewayError);
    await input.close();
  }
});

test("a group stores the offsets of selected partitions only", async () => {
  const [topic, group] = [await createTopic(3), randomUUID()];
  const stored = async () => {
    const [found] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    return (found?.partitions ?? []).map(({ partition, offset }) => `${partition}: ${offset}`).toSorted();
  };
  const options = { addresses, topics: [`${topic}:0-1`], consumer_group: group };
  const word = topic.slice(-4);
  await fill(topic, 3);
  assert.equal(await readAll(kafkaInput(options), 2), [`${word} 0`, `${word} 1`]);
  assert.equal(await stored(), ["0: 1", "1: 1", "2: -1"]);
  await producer.send({
    topic,
    messages: [0, 1, 2].map((partition) => ({ partition, value: `later ${partition}` })),
  });
  assert.equal(await readAll(kafkaInput(options), 2), ["later 0", "later 1"], "goes on where it was");
  assert.equal(await stored(), ["0: 2", "1: 2", "2: -1"]);
});

test("a group starts with records written since the start of the gateway, also in selected partitions", async () => {
  const [topic, group] = [await createTopic(2), randomUUID()];
  await fill(topic, 2);
  const options = { addresses, topics: [`${topic}:1`], consumer_group: group, start_from_oldest: false };
  const input = kafkaInput(options);
  await input.prepare?.(componentContext());
  await fill(topic, 2);
  const context = inputContext();
  await input.start(context);
  const { batch, confirm } = await context.deliveries.next();
  confirm();
  await input.close();
  const metadata = batch[0]?.metadata;
  assert.equal([metadata?.get("kafka_partition"), metadata?.get("kafka_offset")], [1, 1]);
});

test("kafka_franz starts at the configured offset, and rejects partitions with a consumer group", async () => {
  const topic = await createTopic(2);
  const numbered = [0, 1, 2].flatMap((value) =>
    [0, 1].map((partition) => ({ partition, value: `${partition}/${value}` })),
  );
  await producer.send({ topic, messages: numbered });
  const read = (chosen: string, count: number) =>
    readAll(kafkaFranzInput({ seed_brokers: addresses, topics: [`${topic}:${chosen}`] }), count);
  assert.equal(await read("1:2", 1), ["1/2"]);
  assert.equal(await read("0-1:1", 4), ["0/1", "0/2", "1/1", "1/2"]);
  const options = { seed_brokers: addresses, topics: [`${topic}:0`], consumer_group: "group" };
  assert.throws(
    () => kafkaFranzInput(options),
    (error: Error) => error instanceof GatewayError,
  );
});

test("lag is the number of unacknowledged records of the topic", async () => {
  const topic = await createTopic(2);
  await Promise.all([fill(topic, 2), fill(topic, 2), fill(topic, 2)]);
  const input = kafkaInput({ addresses, topics: [topic], checkpoint_limit: 1 });
  assert.is(input.lag?.(), undefined);
  const context = inputContext();
  await input.start(context);
  for (let left = 6; left > 0; left -= 1) {
    const { confirm } = await context.deliveries.next();
    await until(() => input.lag?.() === left, { what: `a lag of ${left}` });
    confirm();
  }
  await until(() => input.lag?.() === 0);
  await input.close();
});

test("headers are strings, or arrays with multi_header", async () => {
  const topic = await createTopic();
  await producer.send({ topic, messages: [{ value: "a", headers: { one: "1", two: ["x", "y"] } }] });
  for (const [input, expected] of [
    [kafkaInput({ addresses, topics: [topic] }), { one: "1", two: "y" }],
    [kafkaInput({ addresses, topics: [topic], multi_header: true }), { one: ["1"], two: ["x", "y"] }],
    [
      kafkaFranzInput({ seed_brokers: addresses, topics: [topic], multi_header: true }),
      { one: ["1"], two: ["x", "y"] },
    ],
  ] as const) {
    const context = inputContext();
    await input.start(context);
    const { batch, confirm } = await context.deliveries.next();
    confirm();
    await input.close();
    const metadata = batch[0]?.metadata;
    assert.equal({ one: metadata?.get("one"), two: metadata?.get("two") }, expected);
    const milliseconds = Number(metadata?.get("kafka_timestamp_unix_ms"));
    assert.is(metadata?.get("kafka_timestamp_unix"), Math.floor(milliseconds / 1000));
  }
});

test("headers may have the names of inherited object properties", async () => {
  const topic = await createTopic();
  const names = ["__proto__", "constructor", "toString"];
  const output = kafkaOutput({ addresses, topic });
  await output.start(componentContext());
  await output.write([Message.fromText("a", new Map(names.map((name) => [name, `of ${name}`])))]);
  await output.close();
  for (const multi_header of [false, true]) {
    const input = kafkaInput({ addresses, topics: [topic], multi_header });
    const context = inputContext();
    await input.start(context);
    const { batch, confirm } = await context.deliveries.next();
    confirm();
    await input.close();
    for (const name of names) {
      assert.equal(batch[0]?.metadata.get(name), multi_header ? [`of ${name}`] : `of ${name}`);
    }
  }
});

test("batches are formed and committed per partition", async () => {
  const [topic, group] = [await createTopic(2), randomUUID()];
  const context = inputContext();
  const options = { addresses, topics: [topic], consumer_group: group, commit_period: 20 };
  const input = inputWithBatching(kafkaInput(options), { count: 2 });
  await input.start(context);
  const texts = ["a0", "b1", "c0", "d0"].map((value) => ({ value, partition: Number(value.at(-1)) }));
  for (const message of texts) await producer.send({ topic, messages: [message] });
  const batch = await context.deliveries.next();
  assert.is(batch.text, "a0 c0");
  batch.confirm();
  const committed = async () => {
    const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    return offsets?.partitions.toSorted((a, b) => a.partition - b.partition).map(({ offset }) => offset);
  };
  await until(async () => (await committed())?.join() === "2,0", { what: "the commit of the first batch" });
  const closed = input.close();
  const rest = await context.deliveries.take(2);
  assert.equal(rest.map(({ text }) => text).toSorted(), ["b1", "d0"]);
  for (const { confirm } of rest) confirm();
  await closed;
  assert.equal(await committed(), ["3", "1"]);
});

test("without auto_replay_nacks an undeliverable message is given up", async () => {
  const topic = await createTopic();
  const group = randomUUID();
  await producer.send({ topic, messages: [{ value: "bad" }, { value: "good" }] });
  const context = inputContext();
  const givenUp: string[] = [];
  const input = kafkaInput({
    addresses,
    topics: [topic],
    consumer_group: group,
    auto_replay_nacks: false,
    commit_period: 20,
  });
  await input.start({ ...context, giveUp: async (_, { message }) => void givenUp.push(message) });
  const [bad, good] = await context.deliveries.take(2);
  bad?.refuse(new GatewayError(502, "not now"));
  good?.confirm();
  await until(async () => {
    const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    return offsets?.partitions[0]?.offset === "2";
  });
  await input.close();
  assert.equal(givenUp, ["not now"]);
  assert.is(context.deliveries.all.length, 2);
});

test("aborted transactions are skipped if only committed ones are read", async () => {
  const topic = await createTopic();
  const writer = client.producer({ transactionalId: randomUUID(), maxInFlightRequests: 1, idempotent: true });
  await writer.connect();
  const aborted = await writer.transaction();
  await aborted.send({ topic, messages: [{ value: "aborted" }] });
  await aborted.abort();
  await writer.send({ topic, messages: [{ value: "plain" }] });
  await writer.disconnect();
  const read = (transaction_isolation_level: "read_committed" | "read_uncommitted", count: number) =>
    readAll(kafkaInput({ addresses, topics: [topic], transaction_isolation_level }), count);
  assert.equal(await read("read_committed", 1), ["plain"]);
  assert.equal(await read("read_uncommitted", 2), ["aborted", "plain"]);
  const transaction_isolation_level = "read_committed";
  const franz = kafkaFranzInput({ seed_brokers: addresses, topics: [topic], transaction_isolation_level });
  assert.equal(await readAll(franz, 1), ["plain"]);
});

test("no more records are prefetched than configured", async () => {
  const topic = await createTopic();
  const send = (value: string) => producer.send({ topic, messages: [{ value }] });
  await send("a");
  await send("b");
  const context = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], checkpoint_limit: 1, fetch_buffer_cap: 1 });
  await input.start(context);
  const first = await context.deliveries.next();
  await send("c");
  await send("d");
  first.confirm();
  (await context.deliveries.next()).confirm();
  const third = await context.deliveries.next();
  assert.is(third.text, "c");
  assert.is(third.batch[0]?.metadata.get("kafka_lag"), 1, "fetched after d was written");
  third.confirm();
  (await context.deliveries.next()).confirm();
  await input.close();
});

test("the timeouts of the group, the client id and debug logging are as configured", async () => {
  const topic = await createTopic();
  const context = inputContext();
  const input = kafkaInput({
    addresses,
    topics: [topic],
    consumer_group: randomUUID(),
    debug: true,
    group: { session_timeout: 7654, rebalance_timeout: 45_678, heartbeat_interval: 123 },
    client_id: "named",
  });
  await input.start(context);
  await until(() => context.lines.some(({ message }) => message.startsWith("Request Heartbeat")), {
    what: "a sign of life in the log",
  });
  await input.close();
  assert.ok(
    context.lines.some(({ level, message }) => level === "info" && /Request JoinGroup/.test(message)),
  );
});

test("kafka_franz reads topics by patterns, also topics that are created later", async () => {
  const word = randomUUID().slice(0, 8);
  const first = await createTopic(1, `p-${word}-one`);
  await fill(first, 1);
  const context = inputContext();
  const input = kafkaFranzInput({
    seed_brokers: addresses,
    topics: [`^p-${word}-`],
    regexp_topics: true,
    consumer_group: randomUUID(),
    metadata_max_age: 200,
    commit_period: 50,
    fetch_max_bytes: "1MiB",
    fetch_max_partition_bytes: "64KiB",
    fetch_max_wait: 50,
    auto_offset_reset: "earliest",
    start_from_oldest: false,
  });
  await input.start(context);
  (await context.deliveries.next()).confirm();
  await fill(await createTopic(1, `p-${word}-two`), 1);
  const later = await context.deliveries.next();
  assert.is(later.text, "-two 0");
  later.confirm();
  await input.close();
});

test("kafka_franz waits for a rate limit, message by message", async () => {
  const topic = await createTopic();
  await producer.send({ topic, messages: [{ value: "a" }, { value: "bb" }] });
  const asked: number[] = [];
  const rate_limit = {
    take: (bytes: number) => {
      asked.push(bytes);
      return asked.length === 1 ? 5 : 0;
    },
  };
  assert.equal(await readAll(kafkaFranzInput({ seed_brokers: addresses, topics: [topic], rate_limit }), 2), [
    "a",
    "bb",
  ]);
  assert.equal(asked, [1, 1, 2]);
});

test.run();
