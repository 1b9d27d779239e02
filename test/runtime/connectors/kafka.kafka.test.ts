import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered } from "../../../runtime/component/component.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { kafka } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "./contexts.ts";
import { connectKafka } from "./kafka-client.ts";

const test = suite("kafka");
const broker = await kafka();
const addresses = [broker.address];
const peer = await connectKafka(broker.address);
const { admin, client, producer } = peer;
test.after(async () => {
  await peer.close();
  await broker.stop();
});

const createTopic = (partitions = 1) => peer.createTopic(unique("topic"), partitions);

async function produce(topic: string, ...values: readonly string[]): Promise<void> {
  const output = kafkaOutput({ addresses, topic });
  await output.start(componentContext());
  for (const value of values) await output.write(batchOf(value));
  await output.close();
}

async function committed(groupId: string, topic: string): Promise<string | undefined> {
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return offsets?.partitions[0]?.offset;
}

test("a message keeps its bytes, key and headers from output to input", async () => {
  const topic = await createTopic();
  const output = kafkaOutput({
    addresses,
    topic,
    key: (batch) => `key of ${textOfBatch(batch)}`,
  });
  await output.start(componentContext());
  const metadata = new Map<string, string | number>([
    ["Content-Type", "application/json"],
    ["tries", 3],
    ["kafka_offset", 99],
  ]);
  await output.write([Message.fromText('"héllo"', metadata)]);
  await output.close();

  const context = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], consumer_group: randomUUID() });
  await input.start(context);
  const { batch, confirm } = await context.deliveries.next();
  confirm();
  await input.close();
  const [message] = batch;
  assert.is(Buffer.from(message?.bytes() ?? []).toString(), '"héllo"');
  const received = Object.fromEntries(message?.metadata ?? []);
  assert.is(received["Content-Type"], "application/json");
  assert.is(received.tries, "3");
  assert.is(received.kafka_key, 'key of "héllo"');
  assert.is(received.kafka_topic, topic);
  assert.is(received.kafka_partition, 0);
  assert.is(received.kafka_offset, 0);
  assert.is(received.kafka_lag, 0);
  assert.is(received.kafka_tombstone_message, false);
  assert.ok(Math.abs(Number(received.kafka_timestamp_unix) - Date.now() / 1000) < 60);
});

test("a tombstone stays one from input to output, and an empty value stays a value", async () => {
  const [from, to] = [await createTopic(), await createTopic()];
  const values = [null, "", "text"];
  await producer.send({ topic: from, messages: values.map((value) => ({ key: "a", value })) });
  const output = kafkaOutput({ addresses, topic: to, key: "a" });
  await output.start(componentContext());
  const read = async (topic: string, deliver: (batch: Batch) => Promise<Delivered>) => {
    const input = kafkaInput({ addresses, topics: [topic], checkpoint_limit: 1 });
    const seen: Value[] = [];
    await input.start({
      ...inputContext(),
      deliver(batch) {
        for (const { metadata } of batch) seen.push(metadata.get("kafka_tombstone_message") ?? null);
        return deliver(batch);
      },
    });
    await until(() => seen.length === values.length, { what: "every record" });
    await input.close();
    return seen;
  };
  const expected = [true, false, false];
  assert.equal(await read(from, (batch) => output.write(batch)), expected);
  await output.close();
  assert.equal(await read(to, async () => ({})), expected);
});

test("offsets are committed only up to the oldest unacknowledged message", async () => {
  const topic = await createTopic();
  const group = randomUUID();
  await produce(topic, "a", "b", "c");
  const context = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], consumer_group: group, commit_period: 20 });
  await input.start(context);
  const [a, b, c] = await context.deliveries.take(3);
  assert.equal([a?.text, b?.text, c?.text], ["a", "b", "c"]);
  a?.confirm();
  c?.confirm();
  await until(async () => (await committed(group, topic)) === "1", { what: "the commit of a" });
  b?.confirm();
  await until(async () => (await committed(group, topic)) === "3", { what: "the commit of all" });
  await input.close();
});

test("an unacknowledged message is redelivered to the next member", async () => {
  const topic = await createTopic();
  const group = randomUUID();
  await produce(topic, "a", "b");
  const first = inputContext();
  const dying = kafkaInput({ addresses, topics: [topic], consumer_group: group });
  await dying.start(first);
  const [a, b] = await first.deliveries.take(2);
  a?.confirm();
  const closed = dying.close();
  b?.refuse(new GatewayError(502, "the output is gone"));
  await closed;
  assert.is(await committed(group, topic), "1");

  const second = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], consumer_group: group });
  await input.start(second);
  const again = await second.deliveries.next();
  assert.is(again.text, "b");
  again.confirm();
  await input.close();
  assert.is(await committed(group, topic), "2");
});

test("close waits for deliveries in flight and commits their offsets", async () => {
  const topic = await createTopic();
  const group = randomUUID();
  await produce(topic, "a");
  const context = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], consumer_group: group });
  await input.start(context);
  const { confirm } = await context.deliveries.next();
  let closed = false;
  const closing = input.close().then(() => {
    closed = true;
  });
  await new Promise(setImmediate);
  assert.not.ok(closed);
  confirm();
  await closing;
  assert.is(await committed(group, topic), "1");
  await input.close();
});

test("a rejected message is redelivered and holds the commit back", async () => {
  const topic = await createTopic();
  const group = randomUUID();
  await produce(topic, "bad", "good");
  const context = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], consumer_group: group, commit_period: 20 });
  await input.start(context);
  const [bad, good] = await context.deliveries.take(2);
  good?.confirm();
  bad?.refuse(new GatewayError(502, "not now"));
  const second = await context.deliveries.next();
  assert.is(second.text, "bad");
  assert.equal(context.blocked, [true]);
  assert.is(await committed(group, topic), "0");
  second.confirm();
  await until(async () => (await committed(group, topic)) === "2");
  assert.equal(context.blocked, [true, false]);
  await input.close();
});

test("a checkpoint limit of 1 hands over one message at a time, in order", async () => {
  const topic = await createTopic();
  const values = Array.from({ length: 30 }, (_, index) => String(index));
  await produce(topic, ...values);
  const context = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], consumer_group: randomUUID(), checkpoint_limit: 1 });
  await input.start(context);
  const seen: string[] = [];
  for (const _ of values) {
    const delivery = await context.deliveries.next();
    seen.push(delivery.text);
    assert.is(context.deliveries.all.length, seen.length);
    delivery.confirm();
  }
  assert.equal(seen, values);
  await input.close();
});

test("a partition at its limit does not block others, and resumes when it is below the limit", async () => {
  const topic = await createTopic(2);
  const producer = client.producer();
  await producer.connect();
  const messages = Array.from({ length: 20 }, (_, index) => ({ partition: 0, value: `zero ${index}` }));
  await producer.send({ topic, messages });
  const context = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], consumer_group: randomUUID(), checkpoint_limit: 5 });
  await input.start(context);
  const held = await context.deliveries.take(5);
  await producer.send({ topic, messages: [{ partition: 1, value: "one" }] });
  const other = await context.deliveries.next();
  assert.is(other.text, "one");
  other.confirm();
  for (const { confirm } of held) confirm();
  for (let index = 5; index < 20; index++) {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, `zero ${index}`);
    delivery.confirm();
  }
  await input.close();
  await producer.disconnect();
});

test("a second member takes over partitions, and each message is acknowledged once", async () => {
  const topic = await createTopic(4);
  const group = randomUUID();
  const producer = client.producer();
  await producer.connect();
  const first = inputContext();
  const one = kafkaInput({ addresses, topics: [topic], consumer_group: group, commit_period: 50 });
  await one.start(first);
  const values = (round: string) =>
    Array.from({ length: 40 }, (_, index) => ({ partition: index % 4, value: `${round} ${index}` }));
  await producer.send({ topic, messages: values("alone") });
  for (const { confirm } of await first.deliveries.take(40)) confirm();

  const second = inputContext();
  const two = kafkaInput({ addresses, topics: [topic], consumer_group: group, commit_period: 50 });
  await two.start(second);
  const joins = () => first.lines.filter(({ message }) => message === "reading from Kafka").length;
  await until(() => joins() === 2, { what: "the first member's second assignment" });
  await producer.send({ topic, messages: values("together") });
  const both = () => [...first.deliveries.all.slice(40), ...second.deliveries.all];
  await until(() => both().length >= 40, { what: "all messages of the second round" });
  for (const { confirm } of both()) confirm();
  assert.is(new Set(both().map(({ text }) => text)).size, 40);
  assert.ok(second.deliveries.all.length > 0);
  await Promise.all([one.close(), two.close()]);
  await producer.disconnect();
  const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  assert.equal(
    offsets?.partitions.map(({ offset }) => offset),
    ["20", "20", "20", "20"],
  );
});

test("without a consumer group everything is read and no offset is stored", async () => {
  const topic = await createTopic(2);
  await produce(topic, "a");
  for (const _ of ["first start", "second start"]) {
    const context = inputContext();
    const input = kafkaInput({ addresses, topics: [topic] });
    await input.start(context);
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, "a");
    delivery.confirm();
    await input.close();
  }
});

test("start_from_oldest false starts with new records", async () => {
  const topic = await createTopic();
  await produce(topic, "before");
  const context = inputContext();
  const options = { addresses, topics: [topic], consumer_group: randomUUID(), start_from_oldest: false };
  const input = kafkaInput(options);
  await input.start(context);
  let count = 0;
  // The first fetch determines the latest offset, which the test cannot observe.
  await until(async () => {
    await produce(topic, `after ${count++}`);
    return context.deliveries.all.length > 0;
  });
  assert.match(context.deliveries.all[0]?.text ?? "", /^after/);
  for (const { confirm } of context.deliveries.all) confirm();
  await input.close();
});

test("concurrent writes arrive in order, in few requests, compressed", async () => {
  const topic = await createTopic();
  const output = kafkaOutput({ addresses, topic, compression: "gzip" });
  await output.start(componentContext());
  const values = Array.from({ length: 2000 }, (_, index) => String(index));
  await Promise.all(values.map((value) => output.write(batchOf(value))));
  await output.close();
  const context = inputContext();
  const input = kafkaInput({ addresses, topics: [topic], checkpoint_limit: 5000 });
  await input.start(context);
  const deliveries = await context.deliveries.take(values.length);
  assert.equal(
    deliveries.map(({ text }) => text),
    values,
  );
  for (const { confirm } of deliveries) confirm();
  await input.close();
});

test("a topic can be computed, and keys decide the partition", async () => {
  const topic = await createTopic(3);
  const output = kafkaOutput({
    addresses,
    topic: (batch, index) => (textOfBatch(batch.slice(index, index + 1)) === "1" ? topic : `${topic}-other`),
    key: "same",
  });
  await output.start(componentContext());
  await output.write(batchOf("1", "2", "1"));
  await output.close();
  const offsets = await admin.fetchTopicOffsets(topic);
  assert.equal(offsets.map(({ offset }) => offset).toSorted(), ["0", "0", "2"]);
  assert.is((await admin.fetchTopicOffsets(`${topic}-other`))[0]?.offset, "1");
});

test("a record that is too large fails alone and permanently", async () => {
  const topic = await createTopic();
  for (const [max_msg_bytes, said] of [
    [3_000_000, "The message is larger than Kafka accepts (MESSAGE_TOO_LARGE)"],
    [1_500_000, "The message is larger than the 1500000 bytes a record may have"],
  ] as const) {
    const output = kafkaOutput({ addresses, topic, max_msg_bytes });
    await output.start(componentContext());
    const writes = [batchOf("small"), batchOf("x".repeat(2_000_000)), batchOf("also small")];
    const outcomes = await Promise.allSettled(writes.map((batch) => output.write(batch)));
    assert.equal(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    const [, refused] = outcomes;
    const error = refused?.status === "rejected" ? refused.reason : undefined;
    assert.instance(error, GatewayError);
    assert.equal([error.message, error.status, error.reason], [said, 422, "too_large"]);
    assert.not.ok(error.retryable);
    await output.close();
  }
});

test("a batch larger than a request is written in several requests", async () => {
  const topic = await createTopic();
  const output = kafkaOutput({ addresses, topic });
  await output.start(componentContext());
  await output.write(Array.from({ length: 40 }, () => Message.fromText("x".repeat(100_000))));
  await output.close();
  assert.is((await admin.fetchTopicOffsets(topic))[0]?.offset, "40");
});

test.run();
