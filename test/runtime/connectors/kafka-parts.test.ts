import { promisify } from "node:util";
import { gzip, zstdCompress } from "node:zlib";
import kafkajs, { CompressionTypes, type IHeaders } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kafkaFailure, kafkaUnreachable } from "../../../runtime/connectors/kafka/client.ts";
import { installCodecs } from "../../../runtime/connectors/kafka/codecs.ts";
import { PartitionReader } from "../../../runtime/connectors/kafka/partition.ts";
import { messageFromRecord } from "../../../runtime/connectors/kafka/record.ts";
import { waitForCoordinator } from "../../../runtime/connectors/kafka/rejoining.ts";
import { parseSelection } from "../../../runtime/connectors/kafka/selection.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { describeFailure } from "../../../runtime/failures/description.ts";
import { Message } from "../../../runtime/message/message.ts";
import { Queue } from "../../harness/queue.ts";
import { componentContext } from "./contexts.ts";

const test = suite("kafka parts");

/** Returns a reader whose deliveries wait until the test settles them. */
function givenReader(limit: number, ahead = 1) {
  const deliveries = new Queue<{ text: string; end(confirmed: boolean): void; abandon: AbortSignal }>();
  const fetching: string[] = [];
  const reader = new PartitionReader(0n, {
    limit,
    ahead,
    deliver(messages, abandon, settle) {
      for (const [index, message] of messages.entries()) {
        const end = (confirmed: boolean) => settle(index, confirmed);
        deliveries.push({ text: Buffer.from(message.bytes()).toString(), end, abandon });
      }
    },
    pauseFetching: () => fetching.push("pause"),
    resumeFetching: () => fetching.push("resume"),
  });
  return { reader, deliveries, fetching };
}

function take(reader: PartitionReader, ...offsets: number[]): void {
  const messages = offsets.map((offset) =>
    Message.fromBytes(Buffer.from(String(offset)), new Map(), { part: "orders/0", offset: BigInt(offset) }),
  );
  reader.take(messages, BigInt((offsets.at(-1) ?? 0) + 1));
}

test("a batch that decompresses to more than 256 MiB is rejected, for every codec", async () => {
  installCodecs();
  const bomb = Buffer.alloc(256 * 1024 * 1024 + 1);
  const packed = {
    [CompressionTypes.GZIP]: await promisify(gzip)(bomb, { level: 1 }),
    // A Snappy block begins with its uncompressed size.
    [CompressionTypes.Snappy]: Buffer.from([0x81, 0x80, 0x80, 0x80, 0x01, 0]),
    [CompressionTypes.ZSTD]: await promisify(zstdCompress)(bomb),
  };
  const codecs: Readonly<Record<string, () => { decompress(bytes: Buffer): Promise<Buffer> }>> =
    kafkajs.CompressionCodecs;
  for (const [type, bytes] of Object.entries(packed)) {
    const refusal = await codecs[type]?.().decompress(bytes).catch(String);
    assert.match(String(refusal), /larger than/, type);
  }
});

test("the position is the oldest unacknowledged offset, in any order of acknowledgements", async () => {
  const { reader, deliveries } = givenReader(10);
  assert.is(reader.position, 0n);
  take(reader, 5, 7, 8);
  assert.is(reader.position, 5n);
  const [five, seven, eight] = await deliveries.take(3);
  eight?.end(true);
  five?.end(true);
  await new Promise(setImmediate);
  assert.is(reader.position, 7n);
  seven?.end(true);
  await reader.idle();
  assert.is(reader.position, 9n);
  assert.is(reader.next, 9n);
});

test("no message is handed over beyond the limit from the oldest unacknowledged one", async () => {
  const { reader, deliveries } = givenReader(3, 100);
  take(reader, 0, 1, 5, 6, 7, 8);
  const [zero, one, five] = await deliveries.take(3);
  one?.end(true);
  five?.end(true);
  await new Promise(setImmediate);
  assert.is(deliveries.all.length, 3, "the third after the oldest is the last");
  zero?.end(true);
  await new Promise(setImmediate);
  assert.equal(
    deliveries.all.map(({ text }) => text),
    ["0", "1", "5", "6", "7", "8"],
  );
});

test("messages handed over can count as delivered before they are acknowledged", async () => {
  const { reader, deliveries } = givenReader(10);
  take(reader, 3, 4, 5);
  const [three, four] = await deliveries.take(3);
  const given = new Set([3n, 4n]);
  const asked: bigint[] = [];
  const isGiven = ({ offset }: { offset: bigint }) => {
    asked.push(offset);
    return given.has(offset);
  };
  const undelivered = (isHanded = isGiven) => reader.undelivered("0 orders", isHanded);
  assert.is(undelivered(), 5n);
  given.add(5n);
  assert.is(undelivered(), 6n);
  take(reader, 6, 7);
  assert.is(undelivered(), 6n);
  assert.equal(asked, [3n, 4n, 5n, 5n, 6n], "nobody is asked again of what was handed");
  const none = () => false;
  four?.end(true);
  await new Promise(setImmediate);
  assert.is(undelivered(none), 3n);
  three?.end(true);
  await new Promise(setImmediate);
  assert.is(undelivered(none), 5n);
  assert.is(undelivered(), 6n);
});

test("a paused reader hands over nothing, and skips messages that another member has delivered", async () => {
  const { reader, deliveries } = givenReader(2);
  take(reader, 0, 1, 2, 3, 4);
  const [zero] = await deliveries.take(2);
  reader.hold();
  zero?.end(true);
  await new Promise(setImmediate);
  assert.is(deliveries.all.length, 2);
  reader.skipTo(3n);
  assert.is(reader.position, 3n);
  reader.proceed();
  assert.equal(
    deliveries.all.map(({ text }) => text),
    ["0", "1", "3", "4"],
  );
});

test("a rebalance in the middle of a run keeps what is confirmed, and hands over nothing more", async () => {
  const { reader, deliveries } = givenReader(4);
  take(reader, 0, 1, 2, 3, 4, 5);
  const [zero, one, two, three] = await deliveries.take(4);
  two?.end(true);
  zero?.end(true);
  reader.hold();
  one?.end(true);
  await new Promise(setImmediate);
  assert.is(reader.position, 3n);
  assert.is(deliveries.all.length, 4);
  reader.abandon(); // another member has the partition now
  assert.is(three?.abandon.aborted, true);
  three?.end(true);
  await reader.idle();
  assert.is(reader.position, 4n);
  assert.is(reader.next, 4n);
  assert.is(deliveries.all.length, 4);
});

test("fetching pauses while enough messages wait, and resumes before they run out", async () => {
  const { reader, deliveries, fetching } = givenReader(2, 4);
  take(reader, 0, 1, 2, 3, 4);
  assert.equal(fetching, []);
  take(reader, 5);
  assert.equal(fetching, ["pause"]);
  assert.is(deliveries.all.length, 2);
  for (const text of ["0", "1"]) {
    const delivery = await deliveries.next();
    assert.is(delivery.text, text);
    delivery.end(true);
    await new Promise(setImmediate);
  }
  assert.equal(fetching, ["pause", "resume"]);
});

test("an abandoned reader hands over nothing more and commits nothing that it did not deliver", async () => {
  const { reader, deliveries, fetching } = givenReader(1);
  take(reader, 0, 1, 2);
  const { end, abandon } = await deliveries.next();
  reader.abandon();
  assert.ok(abandon.aborted);
  assert.equal(fetching, ["pause", "resume"]);
  end(false);
  await reader.idle();
  assert.is(reader.position, 0n);
  assert.is(deliveries.all.length, 1);
});

const refused = (type: string) => Object.assign(new Error(type), { type, retriable: true });

test("a coordinator that is starting is waited for, other errors are reported", async () => {
  const context = componentContext();
  const answers = ["GROUP_LOAD_IN_PROGRESS", "GROUP_COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR_FOR_GROUP"];
  const join = async () => {
    const answer = answers.shift();
    if (answer !== undefined) throw kafkaFailure(refused(answer), "Kafka cannot be read");
    return "joined";
  };
  assert.is(await waitForCoordinator(join, context), "joined");
  assert.equal(
    context.lines.map(({ level, message }) => [level, message]),
    [["info", "the coordinator of the group is not ready yet"]],
  );
  answers.push("GROUP_AUTHORIZATION_FAILED");
  const failure = await waitForCoordinator(join, context).catch((error: unknown) => error);
  assert.match(String(failure), /GROUP_AUTHORIZATION_FAILED/);
});

test("errors name the broker that is silent or unreachable, and the missing topic", () => {
  const silent = Object.assign(new Error("Request Produce(key: 0, version: 7) timed out"), {
    name: "KafkaJSRequestTimeoutError",
    broker: "10.0.0.4:9092",
  });
  const closed = Object.assign(new Error("Closed connection"), {
    name: "KafkaJSConnectionClosedError",
    broker: "10.0.0.4:9092",
    code: undefined,
  });
  const gaveUp = new Error("Closed connection", { cause: closed });
  const texts = [silent, closed, gaveUp].map(
    (error) => kafkaUnreachable(error, "Kafka does not acknowledge").answer,
  );
  const reset = "Kafka: broker `10.0.0.4:9092` unreachable (connection reset)";
  assert.equal(texts, ["Kafka: broker `10.0.0.4:9092` unreachable (timed out)", reset, reset]);
  const missing = kafkaUnreachable(refused("UNKNOWN_TOPIC_OR_PARTITION"), "Kafka cannot be read", ["a", "b"]);
  assert.is(missing.answer, "Kafka cannot be read: `a`, `b` (UNKNOWN_TOPIC_OR_PARTITION: no such topic)");
  const others = kafkaUnreachable(refused("GROUP_AUTHORIZATION_FAILED"), "Kafka cannot be read", ["a"]);
  assert.is(others.answer, "Kafka cannot be read (GROUP_AUTHORIZATION_FAILED)");
  const unknown = kafkaFailure(refused("UNKNOWN"), "Kafka did not acknowledge the message");
  assert.match(unknown.answer, /UNKNOWN: .*format before 0\.11 hold no headers/);
  // Callers do not learn the addresses of brokers.
  const failure = kafkaFailure(silent, "Kafka did not acknowledge the message");
  assert.is(failure.answer, "Kafka did not acknowledge the message");
  assert.match(
    describeFailure(failure).detail ?? "",
    "Kafka did not acknowledge the message: server `10.0.0.4:9092` unreachable (timed out)",
  );
});

test("a header without a value is an empty string, also next to one with a value", () => {
  // kafkajs passes null, which its types do not declare.
  const headers = { none: null, both: [null, Buffer.from("b")] } as unknown as IHeaders;
  const record = { key: null, value: null, timestamp: "0", attributes: 0, offset: "0", headers };
  const place = { topic: "orders", partition: 0, part: "orders/0", highWatermark: 1n };
  const single = messageFromRecord(record, place).metadata;
  assert.equal([single.get("none"), single.get("both")], ["", "b"]);
  const lists = messageFromRecord(record, place, true).metadata;
  assert.equal([lists.get("none"), lists.get("both")], [[""], ["", "b"]]);
});

test("a record in place of an unreadable batch is a failed message", () => {
  const place = { topic: "orders", partition: 3, part: "3 orders", highWatermark: 20n };
  const record = {
    ...{ key: null, value: Buffer.alloc(0), headers: {}, attributes: 0 },
    ...{ timestamp: "1700000000000", offset: "12" },
  };
  assert.is(messageFromRecord(record, place).failure, undefined);
  const { failure, position } = messageFromRecord({ ...record, unreadable: new Error("bad magic") }, place);
  assert.equal([failure?.status, failure?.retryable, position?.offset], [422, false, 12n]);
});

test("a record in the format before Kafka 0.10 has no time, which is -1 as in Java's client", () => {
  const place = { topic: "orders", partition: 0, part: "0 orders", highWatermark: 1n };
  const record = { key: null, value: null, timestamp: undefined, attributes: 0, offset: "0", headers: {} };
  const { metadata } = messageFromRecord(record, place);
  assert.equal(
    ["kafka_timestamp_unix", "kafka_timestamp_unix_ms"].map((name) => metadata.get(name)),
    [-1, -1],
  );
});

test("topics are selected as a whole or by partition", () => {
  const selection = parseSelection(["orders, payments:3", "payments:0-1", "orders:7"]);
  assert.equal(selection.topics, ["orders", "payments"]);
  assert.equal([...selection.partitions], [["payments", [3, 0, 1]]]);
  const { offsets } = parseSelection(["orders:0-1:9007199254740993", "orders:1:4"]);
  assert.equal(
    [...offsets],
    [
      ["0 orders", 9007199254740993n],
      ["1 orders", 4n],
    ],
  );
  for (const wrong of ["orders:", "orders:a", ":1", "orders:3-1", "orders:0-999999999", "a:b:c", "a:0:x"]) {
    assert.throws(
      () => parseSelection([wrong]),
      (error: Error) => error instanceof GatewayError,
      wrong,
    );
  }
});

test.run();
