import { randomUUID } from "node:crypto";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Output } from "../../../runtime/component/component.ts";
import { kafkaFranzOutput } from "../../../runtime/connectors/kafka/franz/output.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { fnv1a } from "../../../runtime/connectors/kafka/partitioner.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { startKafka } from "../../harness/brokers/kafka.ts";
import { createKafkaTopic } from "../../harness/brokers/kafka-topics.ts";
import { kafka } from "../../harness/brokers.ts";
import { patience, until } from "../../harness/wait.ts";
import { batchOf, componentContext, textOfBatch } from "./contexts.ts";
import { readRecords } from "./kafka-records.ts";

const test = suite("kafka writing");
const broker = await kafka();
const addresses = [broker.address];
const client = new Kafka({ brokers: addresses, logLevel: logLevel.NOTHING });
const admin = client.admin();
await admin.connect();
test.after(async () => {
  await admin.disconnect();
  await broker.stop();
});

async function createTopic(partitions = 1, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const topic = `written-${randomUUID()}`;
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  await createKafkaTopic(admin, topic, partitions, configEntries);
  return topic;
}

async function writeAll(output: Output, ...batches: readonly (readonly Message[])[]): Promise<void> {
  await output.start(componentContext());
  try {
    for (const batch of batches) await output.write(batch);
  } finally {
    await output.close();
  }
}

/** Returns the number of records in each partition. */
async function fill(topic: string): Promise<number[]> {
  // A leader may need a moment to learn that it leads a new partition.
  const offsets = await until(() => admin.fetchTopicOffsets(topic));
  return offsets.toSorted((a, b) => a.partition - b.partition).map(({ offset }) => Number(offset));
}

const withMetadata = (text: string, metadata: Readonly<Record<string, Value>>) =>
  Message.fromText(text, new Map(Object.entries(metadata)));
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

test("keys go to the partition of their hash, as with other clients", async () => {
  const [fnvTopic, murmurTopic, javaTopic] = await Promise.all([
    createTopic(5),
    createTopic(5),
    createTopic(5),
  ]);
  const keys = numbers(40);
  const options = {
    addresses,
    key: (batch: readonly Message[], index: number) => textOfBatch(batch.slice(index, index + 1)),
  };
  await writeAll(kafkaOutput({ ...options, topic: fnvTopic }), batchOf(...keys));
  await writeAll(
    kafkaOutput({ ...options, topic: murmurTopic, partitioner: "murmur2_hash" }),
    batchOf(...keys),
  );
  const java = client.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await java.connect();
  await java.send({ topic: javaTopic, messages: keys.map((key) => ({ key, value: key })) });
  await java.disconnect();
  const expected = [0, 0, 0, 0, 0];
  for (const key of keys) {
    const partition = Math.abs((fnv1a(Buffer.from(key)) | 0) % 5);
    expected[partition] = (expected[partition] ?? 0) + 1;
  }
  assert.equal(await fill(fnvTopic), expected);
  assert.equal(await fill(murmurTopic), await fill(javaTopic));
});

test("round_robin, random and manual select partitions", async () => {
  const [inTurn, anywhere, named] = await Promise.all([createTopic(3), createTopic(3), createTopic(3)]);
  const batch = batchOf(...numbers(60));
  await writeAll(kafkaOutput({ addresses, topic: inTurn, key: "same", partitioner: "round_robin" }), batch);
  await writeAll(kafkaOutput({ addresses, topic: anywhere, key: "same", partitioner: "random" }), batch);
  const partition = (messages: readonly Message[], index: number) =>
    String(messages[index]?.metadata.get("to"));
  const manual = kafkaOutput({ addresses, topic: named, partitioner: "manual", partition });
  await writeAll(manual, [
    withMetadata("a", { to: 2 }),
    withMetadata("b", { to: 0 }),
    withMetadata("c", { to: 2 }),
  ]);
  assert.equal(await fill(inTurn), [20, 20, 20]);
  assert.ok((await fill(anywhere)).every((count) => count > 0));
  assert.equal(await fill(named), [1, 0, 2]);
});

test("a missing partition fails the message until the partition exists", async () => {
  const topic = await createTopic(1);
  const output = kafkaOutput({ addresses, topic, partitioner: "manual", partition: "1" });
  await output.start(componentContext());
  const failure = await output.write(batchOf("a")).catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  assert.ok(failure instanceof GatewayError && !failure.retryable);
  await admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] });
  // The broker answers before its metadata lists the partition.
  await until(() => output.write(batchOf("a")).then(() => true), { what: "a write to the new partition" });
  await output.close();
  assert.equal(await fill(topic), [0, 1]);
});

test("a missing topic is created as configured", async () => {
  const topic = `made-${randomUUID()}`;
  const creation = { enabled: true, partitions: 4, replication_factor: 1 };
  const two = [0, 1].map(() => kafkaOutput({ addresses, topic, custom_topic_creation: creation }));
  await Promise.all(two.map((output) => writeAll(output, batchOf("a"))));
  assert.is((await fill(topic)).length, 4);
  const usual = `made-${randomUUID()}`;
  await writeAll(
    kafkaOutput({ addresses, topic: usual, custom_topic_creation: { enabled: true } }),
    batchOf("a"),
  );
  assert.equal(await fill(usual), [1]);
  const impossible = kafkaOutput({
    addresses,
    topic: `made-${randomUUID()}`,
    custom_topic_creation: { enabled: true, replication_factor: 7 },
  });
  const failure = await writeAll(impossible, batchOf("a")).catch((error: unknown) => error);
  assert.match(String(failure), /INVALID_REPLICATION_FACTOR/);
});

test("headers are the metadata that passes the filter, and the static ones", async () => {
  const metadata = { source: "orders", secret_key: "x", secret_name: "y", internal: "z", tries: 3 };
  const message = withMetadata("a", metadata);
  const [plain, listed] = [await createTopic(), await createTopic()];
  await writeAll(
    kafkaOutput({
      addresses,
      topic: plain,
      static_headers: { gateway: "sluice", source: "fixed" },
      metadata: { exclude_prefixes: ["secret_", "internal"] },
    }),
    [message],
  );
  await writeAll(
    kafkaFranzOutput({
      seed_brokers: addresses,
      topic: listed,
      metadata: { include_prefixes: ["secret_"], include_patterns: ["^tri.s$"] },
    }),
    [message],
  );
  const none = await createTopic();
  await writeAll(kafkaFranzOutput({ seed_brokers: addresses, topic: none }), [message]);
  const headers = async (topic: string) => (await readRecords(client, topic, 1))[0]?.headers;
  assert.equal(await headers(plain), { source: "fixed", tries: "3", gateway: "sluice" });
  assert.equal(await headers(listed), { secret_key: "x", secret_name: "y", tries: "3" });
  assert.equal(await headers(none), {});
});

for (const compression of ["gzip", "snappy", "lz4", "zstd"] as const) {
  test(`records are compressed with ${compression}, and read by both spellings`, async () => {
    // Too small for uncompressed messages. The broker decompresses the batch to validate it.
    const topic = await createTopic(1, { "max.message.bytes": "2000" });
    const text = "compress me ".repeat(2000);
    await writeAll(kafkaOutput({ addresses, topic, compression }), batchOf(text));
    await writeAll(kafkaFranzOutput({ seed_brokers: addresses, topic, compression }), batchOf(text));
    const records = await readRecords(client, topic, 2);
    assert.equal(
      records.map(({ value }) => value),
      [text, text],
    );
    const refused = writeAll(kafkaOutput({ addresses, topic }), batchOf(text));
    assert.match(String(await refused.catch((error: unknown) => error)), /MESSAGE_TOO_LARGE/);
  });
}

test("a record that Kafka refuses fails alone, and no other is written twice", async () => {
  for (const idempotent_write of [false, true]) {
    const topic = await createTopic(4, { "max.message.bytes": "2000" });
    const output = kafkaOutput({ addresses, topic, idempotent_write, partitioner: "round_robin" });
    await output.start(componentContext());
    await output.write(batchOf("first")); // the topic is known from now on, so that the others share requests
    const texts = numbers(40).map((text, index) => (index % 10 === 3 ? "x".repeat(2500) : text));
    const outcomes = await Promise.allSettled(texts.map((text) => output.write(batchOf(text))));
    assert.equal(
      outcomes.map(({ status }) => status),
      texts.map(({ length }) => (length > 2000 ? "rejected" : "fulfilled")),
    );
    await output.close();
    const written = (await readRecords(client, topic, 37)).map(({ value }) => value);
    assert.equal(new Set(written), new Set(["first", ...texts.filter(({ length }) => length < 2000)]));
    assert.is(
      (await fill(topic)).reduce((sum, count) => sum + count),
      37,
    );
  }
});

test("a deleted topic holds up no other, and is written to again once it exists", async () => {
  const own = await startKafka({ settings: { "auto.create.topics.enable": false } });
  const administrator = new Kafka({ brokers: [own.address], logLevel: logLevel.NOTHING }).admin();
  await administrator.connect();
  const output = kafkaFranzOutput({ seed_brokers: [own.address], topic: textOfBatch, metadata_max_age: 100 });
  try {
    for (const topic of ["gone", "stays"]) await createKafkaTopic(administrator, topic, 1);
    await output.start(componentContext());
    for (const topic of ["gone", "stays"]) await output.write(batchOf(topic));
    await administrator.deleteTopics({ topics: ["gone"] });
    await until(async () => !(await administrator.listTopics()).includes("gone"), { what: "the deletion" });
    let isSettled = false;
    const gone = output.write(batchOf("gone")).finally(() => {
      isSettled = true;
    });
    for (const begun = Date.now(); Date.now() < begun + 1000; ) await output.write(batchOf("stays"));
    assert.not(isSettled);
    await createKafkaTopic(administrator, "gone", 1);
    await Promise.all([gone, output.write(batchOf("stays"))]);
  } finally {
    await Promise.all([output.close(), administrator.disconnect()]);
    await own.stop();
  }
});

test("a deleted topic is not created again by what is written to others", async () => {
  const [deleted, written, next] = [randomUUID(), randomUUID(), randomUUID()];
  const output = kafkaOutput({ addresses, topic: textOfBatch });
  await output.start(componentContext());
  try {
    for (const topic of [deleted, written]) await output.write(batchOf(topic));
    await admin.deleteTopics({ topics: [deleted] });
    await until(async () => !(await admin.listTopics()).includes(deleted), { what: "the deletion" });
    // The topics that are known are looked up with a new one, which the broker creates.
    for (const topic of [next, written]) await output.write(batchOf(topic));
    const topics = await admin.listTopics();
    assert.equal(
      [deleted, written, next].map((topic) => topics.includes(topic)),
      [false, true, true],
    );
    await output.write(batchOf(deleted));
    assert.equal(await fill(deleted), [1]);
  } finally {
    await output.close();
  }
});

test("kafka_franz selects partitions with its own partitioners", async () => {
  const [runs, sticky, least, named] = await Promise.all([
    createTopic(4),
    createTopic(4),
    createTopic(4),
    createTopic(4),
  ]);
  const seed_brokers = addresses;
  const batch = batchOf(...numbers(40));
  const uniform = { bytes: "1kB", keys: false };
  await writeAll(
    kafkaFranzOutput({
      seed_brokers,
      topic: runs,
      key: "same",
      partitioner: "uniform_bytes",
      uniform_bytes_options: uniform,
    }),
    batch,
  );
  assert.ok(
    (await fill(runs)).filter((count) => count > 0).length >= 2,
    "runs of 1 kB on several partitions",
  );
  await writeAll(kafkaFranzOutput({ seed_brokers, topic: sticky }), batch);
  assert.equal((await fill(sticky)).toSorted(), [0, 0, 0, 40]);
  // The output writes batches while none is confirmed: each goes to a partition that has none pending.
  const output = kafkaFranzOutput({ seed_brokers, topic: least, partitioner: "least_backup" });
  await output.start(componentContext());
  await output.write(batchOf("first"));
  await Promise.all(numbers(8).map((text) => output.write(batchOf(text))));
  await output.close();
  assert.ok(Math.max(...(await fill(least))) <= 3, String(await fill(least)));
  await writeAll(
    kafkaFranzOutput({ seed_brokers, topic: named, partitioner: "manual", partition: "3", key: "same" }),
    batch,
  );
  assert.equal(await fill(named), [0, 0, 0, 40]);
});

test("kafka_franz limits the size of records and the number in flight", async () => {
  const topic = await createTopic();
  const output = kafkaFranzOutput({
    seed_brokers: addresses,
    topic,
    max_message_bytes: "1KiB",
    max_buffered_records: 1,
    max_in_flight: 2,
    metadata_max_age: 1000,
    timeout: patience,
    client_id: "bounded",
  });
  await output.start(componentContext());
  const failure = await output.write(batchOf("x".repeat(1100))).catch((error: unknown) => error);
  assert.is(
    failure instanceof GatewayError && failure.message,
    "The message is larger than the 1024 bytes a record may have",
  );
  await Promise.all(numbers(20).map((text) => output.write(batchOf(text))));
  await output.close();
  const records = await readRecords(client, topic, 20);
  assert.equal(
    records.map(({ value }) => value),
    numbers(20),
  );
});

test.run();
