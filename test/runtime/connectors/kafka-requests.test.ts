import { createRequire } from "node:module";
import * as fc from "fast-check";
import type { PartitionMetadata, Producer, ProducerBatch, ProducerConfig, RecordMetadata } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { writerSettings } from "../../../runtime/connectors/kafka/output.ts";
import { createHeaderEncoder, noHeaders } from "../../../runtime/connectors/kafka/record-headers.ts";
import { Requests } from "../../../runtime/connectors/kafka/requests.ts";
import type { PartitionRecords } from "../../../runtime/connectors/kafka/sender.ts";
import { Writer } from "../../../runtime/connectors/kafka/writer.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { batchOf, componentContext, outagesInto } from "./contexts.ts";

const test = suite("kafka requests");

/** Returns a client whose producers record their calls and return what the test specifies. */
function givenKafka(answer: (batch: ProducerBatch) => RecordMetadata[]) {
  const made: { config: ProducerConfig; batches: ProducerBatch[]; disconnected: boolean }[] = [];
  const producer = (config: ProducerConfig = {}) => {
    const one = { config, batches: [] as ProducerBatch[], disconnected: false };
    made.push(one);
    const parts = {
      connect: async () => undefined,
      disconnect: async () => {
        one.disconnected = true;
      },
      sendBatch: async (batch: ProducerBatch) => {
        one.batches.push(batch);
        return answer(batch);
      },
    };
    return parts as unknown as Producer; // the members that requests use
  };
  return { kafka: { producer }, made };
}

const confirmed = ({ topicMessages = [] }: ProducerBatch): RecordMetadata[] =>
  topicMessages.flatMap(({ topic, messages }) =>
    messages.map(({ partition = 0 }) => ({ topicName: topic, partition, errorCode: 0 })),
  );

const base = { addresses: ["localhost:9092"], topic: "orders" };
const part = (partition: number, topic = "orders"): PartitionRecords => ({
  topic,
  partition,
  records: [{ key: null, value: Buffer.from("a"), encodedHeaders: noHeaders }],
  size: 71,
});

function givenRequests(options: Parameters<typeof writerSettings>[0], answer = confirmed) {
  const { kafka, made } = givenKafka(answer);
  return {
    requests: new Requests(kafka, { ...writerSettings(options), onPartitions: () => undefined }),
    made,
  };
}

test("all replicas acknowledge unless configured otherwise", async () => {
  for (const [options, acks] of [
    [base, -1],
    [{ ...base, ack_replicas: false }, 1],
  ] as const) {
    const { requests, made } = givenRequests({ ...options, compression: "lz4", timeout: 1234 });
    await requests.sendOnce([part(0), part(1), part(0, "payments")]);
    const [{ batches: [batch] = [], config } = { batches: [], config: undefined }] = made;
    assert.is(batch?.acks, acks);
    assert.is(batch?.timeout, 1234);
    assert.is(batch?.compression, 3);
    assert.equal(
      batch?.topicMessages?.map(({ topic, messages }) => [topic, messages.map(({ partition }) => partition)]),
      [
        ["orders", [0, 1]],
        ["payments", [0]],
      ],
    );
    assert.is(config?.idempotent, false);
    assert.is(config?.retry?.retries, 0);
  }
});

test("partitions missing from the response count as not written", async () => {
  const { requests, made } = givenRequests(base, (batch) => confirmed(batch).slice(1));
  const failure = await requests.sendOnce([part(0), part(1)]).catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  assert.ok(failure instanceof GatewayError && failure.retryable);
  let calls = 0;
  const mended = givenRequests(base, (batch) => (calls++ === 0 ? [] : confirmed(batch)));
  await mended.requests.sendQuickly([part(0)]);
  // A new producer sends this: the first one would not look up the leader of the partition for minutes.
  assert.equal(
    mended.made.map(({ batches, disconnected }) => [batches.length, disconnected]),
    [
      [1, true],
      [1, false],
    ],
  );
  assert.is(made.length, 2);
});

const kafkaBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const kafkaRecord = fc.record({
  key: fc.option(kafkaBytes),
  value: kafkaBytes,
  headers: fc.dictionary(fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("__proto__")), kafkaBytes, {
    noNullPrototype: true,
  }),
});

test("records of a partition are encoded to the same bytes as by kafkajs", async () => {
  const encodeHeaders = createHeaderEncoder({ passes: () => true, fixed: {} });
  const encodeOne = createRequire(import.meta.url)("kafkajs/src/protocol/recordBatch/record/v0");
  await fc.assert(
    fc.asyncProperty(fc.array(kafkaRecord, { minLength: 1, maxLength: 150 }), async (records) => {
      const { requests, made } = givenRequests(base);
      const written = records.map(({ key, value, headers }) => ({
        key,
        value,
        encodedHeaders: encodeHeaders(Message.fromBytes(value, new Map(Object.entries(headers)))),
      }));
      await requests.sendOnce([{ topic: "orders", partition: 3, records: written, size: 1 }]);
      const messages = made[0]?.batches[0]?.topicMessages?.[0]?.messages ?? [];
      const { 3: group } = messages.reduce(
        (groups, message) => Object.assign(groups, { 3: (groups[3] ?? []).concat(message) }),
        {} as Record<number, typeof messages>,
      );
      const encode = (record: object, offsetDelta: number) =>
        encodeOne({ ...record, offsetDelta, timestampDelta: 0 }) as { buffer: Buffer };
      const together = (group ?? []).map(encode);
      assert.is(together.length, records.length);
      const expected = Buffer.concat(records.map((record, index) => encode(record, index).buffer));
      assert.ok(Buffer.concat(together.map(({ buffer }) => buffer)).equals(expected));
      if (records.length >= 3) assert.is(together[1]?.buffer.length, 0, "each was encoded by itself");
      // Any other step receives every record.
      assert.equal(
        (group ?? []).map(({ key }) => key),
        records.map(({ key }) => key),
      );
    }),
    { seed: 17, numRuns: 100 },
  );
});

test("an idempotent producer is replaced when a write is given up, others are not", async () => {
  for (const idempotent_write of [true, false]) {
    const { requests, made } = givenRequests({ ...base, idempotent_write });
    await requests.renew();
    assert.is(made.length, idempotent_write ? 2 : 1);
    assert.is(made[0]?.disconnected, idempotent_write);
    assert.is(made[0]?.config.idempotent, idempotent_write);
    await requests.sendOnce([part(0)]);
    assert.is(made.at(-1)?.batches.length, 1);
  }
});

const part0 = { partitionErrorCode: 0, partitionId: 0, leader: 1, replicas: [1], isr: [1] };

/** Returns the first character of a message. */
const textOfFirst = (batch: Batch, index: number) =>
  String(Buffer.from(batch[index]?.bytes() ?? [])).slice(0, 1);

/** Returns a writer to two topics; writes to `bad` fail `failures` times. */
function givenWriter(options: Partial<Parameters<typeof writerSettings>[0]>, failures: number) {
  const sent: string[] = [];
  const values: string[] = [];
  const lines: (string | undefined)[] = [];
  let renewed = 0;
  const sendOnce = async (parts: readonly PartitionRecords[]) => {
    sent.push(parts.map(({ topic }) => topic).join("+"));
    values.push(...parts.flatMap(({ records }) => records.map(({ value }) => String(value))));
    if (parts.some(({ topic }) => topic === "bad") && sent.length <= failures) throw new Error("no leader");
  };
  const settings = writerSettings({
    ...base,
    topic: (batch, index) => (index === 0 && batch.length > 1 ? "good" : "bad"),
    backoff: { initial_interval: 1, max_interval: 1, max_elapsed_time: 0 },
    ...options,
  });
  const partitions = [part0];
  const context = {
    ...componentContext(),
    beginOutage: outagesInto(lines),
  };
  const writer = new Writer(settings, {
    admin: {
      fetchTopicMetadata: async ({ topics: [name = ""] = [] } = { topics: [] }) => ({
        topics: [{ name, partitions }],
      }),
      createTopics: async () => true,
      disconnect: async () => undefined,
    },
    requests: {
      meet: async () => undefined,
      sendOnce,
      sendQuickly: sendOnce,
      renew: async () => {
        renewed += 1;
      },
      disconnect: async () => undefined,
    },
    context,
  });
  return { writer, sent, values, lines, renewed: () => renewed };
}

test("records keep their order, however many may be written at a time", async () => {
  for (const options of [{ max_in_flight: 1 }, { max_in_flight: 2 }, { max_in_flight: 5 }]) {
    const { writer, values } = givenWriter({ ...options, topic: "good" }, 0);
    const settled: Promise<unknown>[] = [writer.write(batchOf("0"))]; // the topic is known from now on
    await settled[0];
    const writeEach = (...texts: string[]) => {
      const outcomes = texts.map(() => Promise.withResolvers<void>());
      settled.push(...outcomes.map(({ promise }) => promise));
      writer.writeEach(batchOf(...texts), {
        confirm: (index) => outcomes[index]?.resolve(),
        fail: (index, error) => outcomes[index]?.reject(error),
      });
    };
    writeEach("1", "2", "3", "4");
    settled.push(writer.write(batchOf("5")));
    writeEach("6", "7");
    settled.push(writer.write(batchOf("8", "9")));
    writeEach("10", "11", "12");
    await Promise.all(settled);
    await writer.close();
    assert.equal(
      values.map(Number),
      Array.from({ length: 13 }, (_, index) => index),
      `max_in_flight ${options.max_in_flight}`,
    );
  }
});

test("records for partitions that were added meanwhile are written in order, too", async () => {
  const lookups: PromiseWithResolvers<PartitionMetadata[]>[] = [];
  const written: string[] = [];
  const sendOnce = async (parts: readonly PartitionRecords[]) => {
    for (const { partition, records } of parts)
      written.push(...records.map(({ value }) => `${partition}${value}`));
  };
  const settings = writerSettings({ ...base, partitioner: "manual", partition: textOfFirst });
  const writer = new Writer(settings, {
    admin: {
      async fetchTopicMetadata() {
        const lookup = Promise.withResolvers<PartitionMetadata[]>();
        lookups.push(lookup);
        return { topics: [{ name: base.topic, partitions: await lookup.promise }] };
      },
      createTopics: async () => true,
      disconnect: async () => undefined,
    },
    requests: {
      meet: async () => undefined,
      sendOnce,
      sendQuickly: sendOnce,
      renew: async () => undefined,
      disconnect: async () => undefined,
    },
    context: componentContext(),
  });
  const metadata = (count: number) =>
    Array.from({ length: count }, (_, partitionId) => ({ ...part0, partitionId }));
  const outcomes: string[] = [];
  const writeEach = (...texts: string[]) =>
    writer.writeEach(batchOf(...texts), {
      confirm: (index) => outcomes.push(`${texts[index]} confirmed`),
      fail: (index) => outcomes.push(`${texts[index]} failed`),
    });
  const turn = () => new Promise(setImmediate);
  writeEach("0a");
  await turn();
  lookups.shift()?.resolve(metadata(1));
  await turn();
  writeEach("0b", "1c", "1d", "0e", "2f", "1g");
  await turn();
  lookups.shift()?.resolve(metadata(2));
  await turn();
  writeEach("1h", "0i");
  for (let turns = 0; turns < 10; turns += 1) {
    await turn();
    lookups.shift()?.resolve(metadata(2));
  }
  await writer.close();
  const inPartition = (partition: number) => written.filter((each) => each.startsWith(String(partition)));
  assert.equal([0, 1, 2].map(inPartition), [["00a", "00b", "00e", "00i"], ["11c", "11d", "11g", "11h"], []]);
  assert.equal(outcomes.toSorted(), [
    ..."0a 0b 0e 0i 1c 1d 1g 1h".split(" ").map((text) => `${text} confirmed`),
    "2f failed",
  ]);
});

test("a record may be as large as configured, and not a byte larger", async () => {
  const kafkajs = createRequire(import.meta.url);
  const { RecordBatch: encodeBatch } = kafkajs("kafkajs/src/protocol/recordBatch/v0");
  const encodeOne = kafkajs("kafkajs/src/protocol/recordBatch/record/v0");
  const noMetadata = new Map<string, string>();
  const metadata = new Map([["\u00e9", "\u00e9t\u00e9"]]);
  for (const [key, own, value] of [
    ["", noMetadata, "x".repeat(1000)],
    ["k", noMetadata, "x".repeat(999)],
    ["", metadata, "x".repeat(991)],
  ] as const) {
    const { writer, values } = givenWriter({ key, topic: "good", max_msg_bytes: 1070 }, 0);
    const bytes = Buffer.from(value);
    await writer.write([Message.fromBytes(bytes, own)]);
    const failure = await writer.write([Message.fromText(`${value}x`, own)]).catch((error: unknown) => error);
    assert.is(failure instanceof GatewayError && failure.reason, "too_large");
    assert.equal(values, [value]);
    const record = { key: key === "" ? null : key, value, headers: Object.fromEntries(own) };
    const batch = (await encodeBatch({ records: [encodeOne(record)] })) as { buffer: Buffer };
    assert.is(batch.buffer.length, 1070);
    await writer.close();
  }
});

test("only the failed part of a batch is written again, all of it with retry_as_batch", async () => {
  const parts = givenWriter({}, 3);
  await parts.writer.write(batchOf("a", "b"));
  await parts.writer.close();
  assert.equal(parts.sent, ["good+bad", "good", "bad", "bad"]);
  const whole = givenWriter({ retry_as_batch: true }, 2);
  await Promise.all([whole.writer.write(batchOf("a", "b")), whole.writer.write(batchOf("c"))]);
  await whole.writer.close();
  assert.equal(whole.sent, ["good+bad", "good+bad", "good+bad", "bad"]);
});

test("writes are given up after max_retries or max_elapsed_time, and the failure is logged", async () => {
  for (const [options, attempts] of [
    [{ max_retries: 2 }, 3],
    [{ backoff: { initial_interval: 20, max_interval: 20, max_elapsed_time: 1 } }, 1],
  ] as const) {
    const { writer, sent, lines, renewed } = givenWriter(options, 100);
    const failure = await writer.write(batchOf("b")).catch((error: unknown) => error);
    assert.is(failure instanceof GatewayError && failure.message, "Kafka did not acknowledge the message");
    assert.is(sent.length, attempts);
    assert.is(renewed(), 1);
    assert.equal(lines, ["Kafka does not acknowledge", undefined]);
    await writer.close();
  }
});

test("no more batches are in flight than configured", async () => {
  const { writer, sent } = givenWriter({ max_in_flight: 1, topic: "good" }, 0);
  await Promise.all([writer.write(batchOf("a")), writer.write(batchOf("b"))]);
  assert.is(sent.length, 2, "the second waits until the first is confirmed");
  const together = givenWriter({ topic: "good" }, 0);
  await Promise.all([together.writer.write(batchOf("a")), together.writer.write(batchOf("b"))]);
  assert.is(together.sent.length, 1);
  await Promise.all([writer.close(), together.writer.close()]);
});

test.run();
