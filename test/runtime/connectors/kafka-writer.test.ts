import { createRequire } from "node:module";
import type { PartitionMetadata } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { writerSettings } from "../../../runtime/connectors/kafka/output.ts";
import type { Failures, PartitionRecords } from "../../../runtime/connectors/kafka/sender.ts";
import { Writer } from "../../../runtime/connectors/kafka/writer.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { unfit } from "../../../runtime/grammar/computed-text.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { batchOf, componentContext, outagesInto } from "./contexts.ts";

const test = suite("kafka writer");

const base = { addresses: ["localhost:9092"], topic: "orders" };

const part0 = { partitionErrorCode: 0, partitionId: 0, leader: 1, replicas: [1], isr: [1] };

/** Returns the first character of a message. */
const textOfFirst = (batch: Batch, index: number) =>
  String(Buffer.from(batch[index]?.bytes() ?? [])).slice(0, 1);

/** Returns a writer to two topics; writes to `bad` fail `failures` times. */
function givenWriter(options: Partial<Parameters<typeof writerSettings>[0]>, failures: number) {
  const sent: string[] = [];
  const values: string[] = [];
  const lines: (string | undefined)[] = [];
  const sendOnce = async (parts: readonly PartitionRecords[]): Promise<Failures> => {
    sent.push(parts.map(({ topic }) => topic).join("+"));
    values.push(...parts.flatMap(({ records }) => records.map(({ value }) => String(value))));
    if (parts.some(({ topic }) => topic === "bad") && sent.length <= failures) throw new Error("no leader");
    return new Map();
  };
  const settings = writerSettings({
    ...base,
    topic: (batch, index) => (index === 0 && batch.length > 1 ? "good" : "bad"),
    backoff: { initial_interval: 1, max_interval: 1, max_elapsed_time: 0 },
    ...options,
  });
  const context = {
    ...componentContext(),
    beginOutage: outagesInto(lines),
  };
  const writer = new Writer(settings, {
    creator: undefined,
    requests: {
      meet: async () => [part0],
      sendOnce,
      sendQuickly: async (parts) => void (await sendOnce(parts)),
      disconnect: async () => undefined,
    },
    context,
  });
  return { writer, sent, values, lines };
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
  const sendOnce = async (parts: readonly PartitionRecords[]): Promise<Failures> => {
    for (const { partition, records } of parts)
      written.push(...records.map(({ value }) => `${partition}${value}`));
    return new Map();
  };
  const settings = writerSettings({ ...base, partitioner: "manual", partition: textOfFirst });
  const writer = new Writer(settings, {
    creator: undefined,
    requests: {
      meet() {
        const lookup = Promise.withResolvers<PartitionMetadata[]>();
        lookups.push(lookup);
        return lookup.promise;
      },
      sendOnce,
      sendQuickly: async (parts) => void (await sendOnce(parts)),
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

test("of a batch that is retried as a whole, messages behind one that was not written count as undelivered", async () => {
  const written: string[] = [];
  const sendOnce = async (parts: readonly PartitionRecords[]): Promise<Failures> => {
    const values = parts.flatMap(({ records }) => records.map(({ value }) => String(value)));
    if (values.includes("large")) throw unfit("too large");
    if (values.includes("away")) throw new Error("no leader");
    written.push(...values);
    return new Map();
  };
  const retries = { max_retries: 1, backoff: { initial_interval: 1, max_interval: 1, max_elapsed_time: 0 } };
  const writer = new Writer(writerSettings({ ...base, ...retries, retry_as_batch: true }), {
    creator: undefined,
    requests: {
      meet: async () => [part0],
      sendOnce,
      sendQuickly: async (parts) => void (await sendOnce(parts)),
      disconnect: async () => undefined,
    },
    context: componentContext(),
  });
  const batch = batchOf("first", "large", "away", "last");
  const failure = await writer.write(batch).catch((error: unknown) => error);
  assert.equal(written, ["first"]);
  assert.instance(failure, GatewayError);
  assert.ok((failure as GatewayError).undelivered(batch).includes(batch[3] ?? Message.fromText("")));
  await writer.close();
});

test("writes are given up after max_retries or max_elapsed_time, and the failure is logged", async () => {
  for (const [options, attempts] of [
    [{ max_retries: 2 }, 3],
    [{ backoff: { initial_interval: 20, max_interval: 20, max_elapsed_time: 1 } }, 1],
  ] as const) {
    const { writer, sent, lines } = givenWriter(options, 100);
    const failure = await writer.write(batchOf("b")).catch((error: unknown) => error);
    assert.is(failure instanceof GatewayError && failure.message, "Kafka did not acknowledge the message");
    assert.is(sent.length, attempts);
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
