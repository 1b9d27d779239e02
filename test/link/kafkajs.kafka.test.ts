import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { CompressionTypes } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kafkajsPatch } from "../../compiler/link/patches/kafkajs.ts";
import { kafka } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { connectKafka } from "../runtime/connectors/kafka-client.ts";
import { bundlePatched, runPatched } from "./patched-bundle.ts";

const test = suite("kafkajs patch");
const broker = await kafka();
const client = await connectKafka(broker.address);
test.after(async () => {
  await client.close();
  await broker.stop();
});

/** The warning that Node prints for a negative timeout; each turn of the idle loop would set one. */
const idleLoop = "TimeoutNegativeWarning";

/** Finds the function of a client with which its parts connect. */
const createCluster = `const createCluster = Object.getOwnPropertySymbols(client).find(
  ({ description }) => description === "private:Kafka:createCluster",
);`;

// More requests than may be in flight: the rest waits in the queue that the patch changes.
const program = `
import { Kafka, logLevel } from "kafkajs";
import createConsumer from "kafkajs/src/consumer/index.js";
const [address, topic] = process.argv.slice(2);
const client = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });
${createCluster}
const cluster = client[createCluster]({ maxInFlightRequests: 1 });
await cluster.connect();
await cluster.addMultipleTargetTopics([topic]);
const leader = await cluster.findControllerBroker();
const answers = await Promise.all(Array.from({ length: 300 }, () => leader.metadata([topic])));
console.log("answered", answers.filter(({ topicMetadata }) => topicMetadata[0].topic === topic).length);
client.createConsumer = createConsumer; // as readers of a gateway do
const consumer = client.consumer({ groupId: topic, maxWaitTimeInMs: 50 });
await consumer.subscribe({ topics: [topic], fromBeginning: true });
const values = new Set();
await new Promise((resolve) =>
  consumer.run({
    eachMessage: async ({ message }) => {
      values.add(String(message.value));
      if (values.size === 300) resolve();
    },
  }),
);
await Promise.all([consumer.disconnect(), cluster.disconnect()]);
console.log("received", values.size);
`;

/** A member of a group whose clock is set back by an hour. */
const setBack = `
import { Kafka, logLevel } from "kafkajs";
import createConsumer from "kafkajs/src/consumer/index.js";
const [address, topic] = process.argv.slice(2);
const client = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });
client.createConsumer = createConsumer;
const consumer = client.consumer({ groupId: topic, maxWaitTimeInMs: 50, heartbeatInterval: 50 });
await consumer.subscribe({ topics: [topic] });
const { now } = Date;
consumer.on(consumer.events.GROUP_JOIN, () => {
  Date.now = () => now() - 3_600_000;
});
const end = (outcome) => {
  console.log(outcome);
  process.exit();
};
let heartbeats = 0;
consumer.on(consumer.events.HEARTBEAT, () => (heartbeats += 1) === 3 && end("heartbeats"));
setTimeout(end, 60_000, "no heartbeat");
await consumer.run({ eachMessage: async () => undefined });
`;

// A batch as a broker sends it, and then the same batch with one bit of a value flipped.
const damage = `
import Decoder from "kafkajs/src/protocol/decoder.js";
import { RecordBatch } from "kafkajs/src/protocol/recordBatch/v0/index.js";
import record from "kafkajs/src/protocol/recordBatch/record/v0/index.js";
import decode from "kafkajs/src/protocol/recordBatch/v0/decoder.js";
const batch = await RecordBatch({ records: [record({ key: null, value: Buffer.from("paid") })] });
const read = async () => {
  const { records } = await decode(new Decoder(batch.buffer));
  return records.map(({ value }) => String(value)).join();
};
console.log(await read());
batch.buffer[batch.buffer.indexOf("paid")] ^= 1;
console.log(await read().catch(({ message }) => message));
`;

// All lengths up to some words, from each place of a word on, and one that is read for long.
const checksums = `
import crc32C from "kafkajs/src/protocol/recordBatch/crc32C/index.js";
const bytes = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 151) % 256));
const sums = [crc32C(bytes)];
for (let from = 0; from < 8; from += 1)
  for (let length = 0; length < 40; length += 1) sums.push(crc32C(bytes.subarray(from, from + length)));
console.log(crc32C(Buffer.from("123456789")).toString(16), sums.join());
`;

// Compressed batches of a hostile producer: brokers check hardly more than their checksums.
const hostile = `
import { gzipSync } from "node:zlib";
import Decoder from "kafkajs/src/protocol/decoder.js";
import Encoder from "kafkajs/src/protocol/encoder.js";
import crc32C from "kafkajs/src/protocol/recordBatch/crc32C/index.js";
import decodeMessages from "kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js";
const encoder = (write) => {
  const to = new Encoder();
  write(to);
  return to.buffer;
};
const varInt = (value) => {
  const bytes = [];
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
};
const record = (delta, headers, count = headers.length, value = "v") => {
  const body = Buffer.concat([
    Buffer.from([0, 0]), varInt(delta), varInt(-1), varInt(value.length), Buffer.from(value), varInt(count), ...headers,
  ]);
  return Buffer.concat([varInt(body.length), body]);
};
const header = (name) => Buffer.concat([varInt(name.length), Buffer.from(name), varInt(1), Buffer.from("x")]);
function batch(first, count, records, packed = gzipSync(records)) {
  const rest = encoder((to) => to.writeInt16(1).writeInt32(count - 1).writeInt64(7).writeInt64(9).writeInt64(-1)
    .writeInt16(-1).writeInt32(-1).writeInt32(count).writeBufferInternal(packed));
  const after = encoder((to) => to.writeInt32(0).writeInt8(2).writeUInt32(crc32C(rest)).writeBufferInternal(rest));
  return encoder((to) => to.writeInt64(first).writeInt32(after.length).writeBufferInternal(after));
}
async function read(...batches) {
  const set = Buffer.concat(batches);
  const records = await decodeMessages(new Decoder(encoder((to) => to.writeInt32(set.length).writeBufferInternal(set))));
  return records.map(({ offset, value, headers, unreadable }) =>
    [offset, String(value), Object.entries(headers).length, unreadable?.message ?? ""].join(" "));
}
const longer = Buffer.from([16, 0, 0, 0, 1, 40, 118, 118, 118]);
const good = (offset) => batch(offset, 1, record(0, [header("a")]));
const tell = async (name, ...batches) => console.log(name + ":", (await read(...batches)).join(", "));
await tell("broken", good(0), batch(1, 3, Buffer.alloc(0), Buffer.from("no gzip")), good(4));
await tell("claimed headers", batch(0, 1, record(0, [], 2 ** 30)), good(1));
await tell("longer value", batch(0, 1, longer), good(1));
await tell("longer record", batch(0, 1, Buffer.from([40, 0, 0, 0])), good(1));
await tell("many records", batch(0, 600000, record(0, [])), good(600000));
const many = Array.from({ length: 200000 }, (_, index) => header("h" + index));
await tell("names", batch(0, 1, record(0, many)));
await tell("one name", batch(0, 1, record(0, Array.from({ length: 200000 }, () => header("h")))));
const records = await read(batch(0, 200000, Buffer.concat(Array.from({ length: 200000 }, (_, index) => record(index, [])))));
console.log("records:", records.length, records.at(-1));
const large = (offset) => batch(offset, 1, record(0, [], 0, "v".repeat(40 * 1024 * 1024)));
console.log("large:", (await read(large(0), large(1), large(2))).length);
`;

// Messages in the formats before Kafka 0.11: good ones around sets that cannot be unpacked.
const messageSets = `
import { crc32, gzipSync } from "node:zlib";
import Decoder from "kafkajs/src/protocol/decoder.js";
import Encoder from "kafkajs/src/protocol/encoder.js";
import decodeMessages from "kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js";
const encode = (write) => {
  const to = new Encoder();
  write(to);
  return to.buffer;
};
const entry = (offset, fields) => {
  const checksum = encode((to) => to.writeUInt32(crc32(fields)));
  return encode((to) => to.writeInt64(offset).writeInt32(fields.length + 4).writeBufferInternal(Buffer.concat([checksum, fields])));
};
const fields = (magic, attributes, value, time = 7) => encode((to) => {
  to.writeInt8(magic).writeInt8(attributes);
  if (magic > 0) to.writeInt64(time);
  to.writeBytes(null).writeBytes(value);
});
const message = (offset, magic = 0, value = "v" + offset) => entry(offset, fields(magic, 0, value));
const packed = (offset, magic, content) => entry(offset, fields(magic, 1, content));
const set = (offset, magic, ...parts) => packed(offset, magic, gzipSync(Buffer.concat(parts)));
async function read(...parts) {
  const bytes = Buffer.concat(parts);
  return decodeMessages(new Decoder(encode((to) => to.writeInt32(bytes.length).writeBufferInternal(bytes))));
}
const tell = async (name, ...parts) => {
  const messages = await read(...parts).catch((error) => error.message);
  console.log(name + ": " + (Array.isArray(messages)
    ? messages.map(({ offset, value, unreadable }) => [offset, value, unreadable?.message ?? ""].join(" ")).join(", ")
    : messages));
};
const negative = Buffer.from([0, 0, 0xff, 0xff, 0xff, 0xfc]);
for (const magic of [0, 1]) {
  const inner = [0, 1, 2].map((index) => message(magic === 0 ? 4 + index : index, magic));
  await tell("good", message(3, magic), set(6, magic, ...inner), message(7, magic));
  await tell("broken", message(3, magic), packed(6, magic, Buffer.from("no gzip")), message(7, magic));
  await tell("null", packed(6, magic, null), message(7, magic));
  await tell("empty", set(6, magic), message(7, magic));
  await tell("cut", set(6, magic, inner[0], inner[1].subarray(0, 20)), message(7, magic));
  await tell("negative length", set(6, magic, entry(0, negative)), message(7, magic));
  await tell("negative size", set(6, magic, encode((to) => to.writeInt64(0).writeInt32(-20))), message(7, magic));
  await tell("another format", set(6, magic, entry(0, fields(2, 0, "v"))), message(7, magic));
}
const ofTopic = (attributes) => entry(1, fields(1, attributes, gzipSync(Buffer.concat([message(0, 1), message(1, 1)])), 9));
for (const attributes of [1, 9]) console.log("times:", ...(await read(ofTopic(attributes))).map(({ timestamp }) => timestamp));
const many = Buffer.concat(Array.from({ length: 200000 }, () => message(0, 1, "")));
console.log("many:", (await read(set(199999, 1, many), message(200000))).length);
await tell("too many", set(600000, 1, many, many, many), message(600001, 1));
const large = (offset) => set(offset, 1, message(0, 1, "v".repeat(40 * 1024 * 1024)));
console.log("large:", (await read(large(0), large(1), large(2))).length);
const damaged = message(3);
damaged[damaged.length - 1] ^= 1;
await tell("damaged", damaged);
await tell("cut by the broker", message(3), message(4).subarray(0, 20));
`;

// Batches of every kind of field, with deltas up to the limits of their types.
const fields = `
import Decoder from "kafkajs/src/protocol/decoder.js";
import Encoder from "kafkajs/src/protocol/encoder.js";
import crc32C from "kafkajs/src/protocol/recordBatch/crc32C/index.js";
import record from "kafkajs/src/protocol/recordBatch/record/v0/index.js";
import decodeMessages from "kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js";
const bytes = (length) => Buffer.from(Array.from({ length }, (_, index) => (index * 31 + length) % 256));
const numbers = [0n, 1n, -1n, 63n, 64n, -64n, -65n, 8191n, 2n ** 31n, 1796000000000n, 2n ** 48n, -(2n ** 52n),
  2n ** 53n - 2n, 2n ** 53n, -(2n ** 53n), 2n ** 55n + 1n, 2n ** 62n];
const headers = [{}, { a: bytes(2), "": bytes(0) }, { ä: [bytes(1), bytes(300), bytes(3)] }];
for (const attributes of [0, 8])
  for (const [place, first] of numbers.entries()) {
    const records = numbers.map((delta, index) => record({
      offsetDelta: index, timestampDelta: delta, headers: headers[index % headers.length],
      key: index % 3 === 0 ? null : bytes(index), value: index % 5 === 0 ? null : bytes(index * 40),
    }));
    const rest = new Encoder().writeInt16(attributes).writeInt32(records.length - 1)
      .writeInt64(numbers.at(-1 - place)).writeInt64(77).writeInt64(-1).writeInt16(-1).writeInt32(-1).writeArray(records);
    const after = new Encoder().writeInt32(0).writeInt8(2).writeUInt32(crc32C(rest.buffer)).writeEncoder(rest);
    const set = new Encoder().writeInt64(first < 0n ? -first : first).writeBytes(after.buffer).buffer;
    const read = await decodeMessages(new Decoder(new Encoder().writeBytes(set).buffer));
    for (const { offset, timestamp, key, value, headers } of read)
      console.log(String(offset), String(timestamp), JSON.stringify([key, value, Object.entries(headers)]));
  }
`;

// Requests whose parts are shorter and longer than those that the patch keeps apart.
const encoding = `
import { createHash } from "node:crypto";
import { CompressionTypes } from "kafkajs";
import createRequest from "kafkajs/src/protocol/request.js";
import produce from "kafkajs/src/protocol/requests/produce/v7/request.js";
Date.now = () => 1796000000000;
for (const compression of [CompressionTypes.None, CompressionTypes.GZIP])
  for (const size of [0, 10, 2047, 2048, 2049, 70000])
    for (const count of [1, 3, 40]) {
      const message = (_, index) => ({ key: index % 2 ? null : "k" + index, value: Buffer.alloc(size, index), headers: { h: "v" } });
      const messages = Array.from({ length: count }, message);
      const partitions = [0, 5].map((partition) => ({ partition, messages, firstSequence: 3 }));
      const topicData = ["a", "b"].map((topic) => ({ topic, partitions }));
      const request = produce({ acks: -1, timeout: 7, compression, topicData, producerId: 9 });
      const encoded = await createRequest({ request, correlationId: 4, clientId: "c" });
      const total = encoded.size();
      console.log(total, createHash("sha256").update(encoded.buffer).digest("hex"), encoded.buffer.length === total);
    }
`;

/** A program like a gateway that only writes. */
const writing = `
import { Kafka, logLevel } from "kafkajs";
const [address, topic] = process.argv.slice(2);
const client = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });
${createCluster}
const [admin, cluster] = [client.admin(), client[createCluster]({})];
await Promise.all([admin.connect(), cluster.connect()]);
await admin.createTopics({ topics: [{ topic }] });
await cluster.addMultipleTargetTopics([topic]);
const { topics: [{ partitions }] } = await admin.fetchTopicMetadata({ topics: [topic] });
const { brokers } = await admin.describeCluster();
console.log("partitions", partitions.length, "brokers", brokers.length, (await admin.listTopics()).includes(topic));
await Promise.all([admin.disconnect(), cluster.disconnect()]);
`;

const runBundle = (plugins: Plugin[], contents: string) =>
  runPatched(plugins, contents, [broker.address, `topic-${randomUUID()}`]);

/** Runs the program that reads a topic with 300 messages. */
async function runReader(plugins: Plugin[]) {
  const topic = await client.createTopic(`topic-${randomUUID()}`);
  const messages = Array.from({ length: 300 }, (_, index) => ({ value: String(index) }));
  for (const compression of [CompressionTypes.GZIP, CompressionTypes.None])
    await client.producer.send({ topic, messages: messages.splice(0, 150), compression });
  return runPatched(plugins, program, [broker.address, topic]);
}

test("a patched client has all requests answered and receives all messages, and has no idle loop", async () => {
  const { status, stdout, stderr } = await runReader([kafkajsPatch()]);
  assert.is(status, 0, stderr);
  assert.is(stdout, "answered 300\nreceived 300\n");
  assert.not.match(stderr, idleLoop);
});

test("control: the unpatched client has the idle loop", async () => {
  const { status, stderr } = await runReader([]);
  assert.is(status, 0, stderr);
  assert.match(stderr, idleLoop);
});

test("a patched client sends heartbeats although the clock was set back", async () => {
  const topic = await client.createTopic(`topic-${randomUUID()}`);
  const { stdout, stderr } = await runPatched([kafkajsPatch()], setBack, [broker.address, topic]);
  assert.is(stdout, "heartbeats\n", stderr);
});

test("a patched client rejects a corrupt batch, which the unpatched client reads", async () => {
  const patched = await runBundle([kafkajsPatch()], damage);
  assert.is(patched.stdout, "paid\nthe record batch at offset 0 is corrupt: its checksum does not match\n");
  const plain = await runBundle([], damage);
  assert.is(plain.stdout, "paid\nqaid\n");
});

test("a patched client computes the same checksums", async () => {
  const patched = await runBundle([kafkajsPatch()], checksums);
  assert.match(patched.stdout, /^e3069283 /, patched.stderr);
  assert.is(patched.stdout, (await runBundle([], checksums)).stdout);
});

test("a patched client reads the same fields as the unpatched client", async () => {
  const patched = await runBundle([kafkajsPatch()], fields);
  const plain = await runBundle([], fields);
  assert.is(patched.status, 0, patched.stderr);
  assert.is(patched.stdout, plain.stdout);
  assert.is(plain.stdout.split("\n").length, 2 * 17 * 17 + 1);
});

test("a patched client sends the same bytes as the unpatched client", async () => {
  const patched = await runBundle([kafkajsPatch()], encoding);
  assert.is(patched.stdout.match(/ true\n/g)?.length, 36, patched.stderr);
  assert.is(patched.stdout, (await runBundle([], encoding)).stdout);
});

test("unreadable batches are reported at their last offset, without excessive time or memory", async () => {
  const { status, stdout, stderr } = await runBundle([kafkajsPatch()], hostile);
  assert.is(status, 0, stderr);
  assert.equal(stdout.split("\n"), [
    "broken: 0 v 1 , 3  0 incorrect header check, 4 v 1 ",
    "claimed headers: 0  0 the batch has more than 500000 records and headers, 1 v 1 ",
    "longer value: 0  0 a record is longer than it says, 1 v 1 ",
    "longer record: 0  0 a record is longer than its batch, 1 v 1 ",
    "many records: 599999  0 the batch has more than 500000 records, 600000 v 1 ",
    "names: 0 v 200000 ",
    "one name: 0 v 1 ",
    "records: 200000 199999 v 0 ",
    "large: 2",
    "",
  ]);
});

test("sets of messages before Kafka 0.11 that cannot be unpacked are reported at their last offset", async () => {
  const { status, stdout, stderr } = await runBundle([kafkajsPatch()], messageSets);
  assert.is(status, 0, stderr);
  const ofFormat = (magic: number) => [
    `good: 3 v3 , ${magic === 0 ? "4 v4 , 5 v5 , 6 v6" : "4 v0 , 5 v1 , 6 v2"} , 7 v7 `,
    `broken: 3 v3 , 6  incorrect header check, 7 v7 `,
    `null: 6  unexpected end of file, 7 v7 `,
    `empty: 6  the set has no messages, 7 v7 `,
    `cut: 6  Tried to decode a partial message: remainingBytes(8) < messageSize(${16 + 8 * magic}), 7 v7 `,
    `negative length: 6  the fields of a message do not fill it, 7 v7 `,
    `negative size: 6  a message has a negative length, 7 v7 `,
    `another format: 6  Unsupported MessageSet message version, magic byte: 2, 7 v7 `,
  ];
  assert.equal(stdout.split("\n"), [
    ...ofFormat(0),
    ...ofFormat(1),
    "times: 7 7",
    "times: 9 9",
    "many: 200001",
    "too many: 600000  the set has more than 500000 messages, 600001 v600001 ",
    "large: 2",
    "damaged: the message at offset 3 is corrupt: its checksum does not match",
    "cut by the broker: 3 v3 ",
    "",
  ]);
});

test("a patched client that only writes contains no code of consumers, producers or unused requests", async () => {
  const { status, stdout, stderr } = await runBundle([kafkajsPatch()], writing);
  assert.is(status, 0, stderr);
  assert.is(stdout, "partitions 1 brokers 1 true\n");
  const { metafile } = await bundlePatched([kafkajsPatch()], writing);
  const parts = Object.keys(metafile.inputs).join("\n");
  assert.not.match(
    parts,
    /consumerGroup|eosManager|partitioners|aclOperationTypes|requests\/(joinGroup|fetch|produce|deleteTopics|createAcls|endTxn)\//,
  );
});

/** Connects to a server that answers each request with the bytes of the argument. */
const badlyAnswered = `
import { createServer } from "node:net";
import { Kafka, logLevel } from "kafkajs";
const answer = Buffer.from(process.argv[2], "hex");
const server = createServer((socket) => socket.on("error", () => {}).on("data", () => socket.write(answer)));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const brokers = ["127.0.0.1:" + server.address().port];
const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 1, initialRetryTime: 1 } }).admin();
console.log(await admin.connect().catch((error) => error.message));
process.exit();
`;

test("a response with an impossible length fails the request, and does not end the process", async () => {
  for (const [bytes, length] of [
    ["ffffffff00000000", -1],
    ["800000000000", -(2 ** 31)],
    ["000000020000", 2],
    ["00000000", 0],
  ] as const) {
    const { status, stdout, stderr } = await runPatched([kafkajsPatch()], badlyAnswered, [bytes]);
    assert.is(status, 0, stderr);
    assert.is(stdout, `Connection error: a response has the impossible length ${length}\n`);
  }
});

/** Prints how many seconds requests are held back after brokers asked for some milliseconds, and what was logged. */
const throttled = `
import RequestQueue from "kafkajs/src/network/requestQueue/index.js";
performance.now = () => 1796;
const texts = [];
const logger = { debug() {}, error: (text) => texts.push(text) };
for (const time of [-5, 0, 500, 5000, 2 ** 31 - 1]) {
  const queue = new RequestQueue({ logger, isConnected: () => true, clientId: "c", broker: "b" });
  queue.maybeThrottle(time);
  console.log(Math.max(0, queue.throttledUntil - performance.now()) / 1000, texts.splice(0).join());
}
`;

test("a broker holds requests back for a minute at most, and that is logged", async () => {
  const { status, stdout, stderr } = await runPatched([kafkajsPatch()], throttled);
  assert.is(status, 0, stderr);
  const text = "Kafka holds requests back because a quota is exceeded";
  assert.equal(stdout.split("\n"), ["0 ", "0 ", "0.5 ", `5 ${text}`, `60 ${text}`, ""]);
});

test("a release with changed code is rejected", async () => {
  const changed: Plugin = {
    name: "changed",
    setup: (setup) => {
      setup.onResolve({ filter: /^kafkajs$/ }, () => ({ path: changedFile }));
    },
  };
  const directory = join(temporaryDirectory(), "kafkajs/src/network/requestQueue");
  mkdirSync(directory, { recursive: true });
  const changedFile = join(directory, "index.js");
  writeFileSync(changedFile, "module.exports = class {};");
  const failure = await runBundle([changed, kafkajsPatch()], program).catch((error: unknown) =>
    String(error),
  );
  assert.match(
    String(failure),
    "kafkajs changed where its idle loop, the first requests to a broker, and how long a broker may hold requests back is patched",
  );
});

test.run();
