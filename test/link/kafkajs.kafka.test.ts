import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kafkajsPatch } from "../../compiler/link/patches/kafkajs.ts";
import { kafka } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { bundlePatched, runPatched } from "./patched-bundle.ts";

const test = suite("kafkajs patch");
const broker = await kafka();
test.after(() => broker.stop());

/** What a negative pause makes Node write; each turn of the idle loop asks for one. */
const idleLoop = "TimeoutNegativeWarning";

// More requests at once than may be in flight: the rest waits in the queue that the patch is about.
const program = `
import { CompressionTypes, Kafka, logLevel } from "kafkajs";
import createConsumer from "kafkajs/src/consumer/index.js";
const [address, topic] = process.argv.slice(2);
const client = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });
const producer = client.producer({ maxInFlightRequests: 1 });
await producer.connect();
const sends = Array.from({ length: 300 }, (_, index) =>
  producer.send({
    topic,
    messages: [{ value: String(index) }],
    compression: index % 2 === 0 ? CompressionTypes.GZIP : CompressionTypes.None,
  }),
);
await Promise.all(sends);
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
await Promise.all([consumer.disconnect(), producer.disconnect()]);
console.log("received", values.size);
`;

// A batch as a broker gives it out, and then the same with one bit of a value turned over.
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

/** What a gateway does that writes only. */
const writing = `
import { Kafka, logLevel } from "kafkajs";
const [address, topic] = process.argv.slice(2);
const client = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });
const [admin, producer] = [client.admin(), client.producer({ idempotent: true })];
await Promise.all([admin.connect(), producer.connect()]);
await admin.createTopics({ topics: [{ topic }] });
await producer.send({ topic, messages: [{ value: "paid" }] });
const { topics: [{ partitions }] } = await admin.fetchTopicMetadata({ topics: [topic] });
const { brokers } = await admin.describeCluster();
console.log("partitions", partitions.length, "brokers", brokers.length, (await admin.listTopics()).includes(topic));
await Promise.all([admin.disconnect(), producer.disconnect()]);
`;

const runBundle = (plugins: Plugin[], contents = program) =>
  runPatched(plugins, contents, [broker.address, `topic-${randomUUID()}`]);

test("a patched client sends and receives everything and has no idle loop", async () => {
  const { status, stdout, stderr } = await runBundle([kafkajsPatch()]);
  assert.is(status, 0, stderr);
  assert.is(stdout, "received 300\n");
  assert.not.match(stderr, idleLoop);
});

test("the client as it comes has the idle loop: without it the patch has nothing to do any more", async () => {
  const { status, stderr } = await runBundle([]);
  assert.is(status, 0, stderr);
  assert.match(stderr, idleLoop);
});

test("a patched client refuses a damaged batch, which the client as it comes reads", async () => {
  const patched = await runBundle([kafkajsPatch()], damage);
  assert.is(patched.stdout, "paid\nthe record batch at offset 0 is corrupt: its checksum does not match\n");
  const plain = await runBundle([], damage);
  assert.is(plain.stdout, "paid\nqaid\n");
});

test("a patched client that writes has nothing of readers and of what no component asks for", async () => {
  const { status, stdout, stderr } = await runBundle([kafkajsPatch()], writing);
  assert.is(status, 0, stderr);
  assert.is(stdout, "partitions 1 brokers 1 true\n");
  const { metafile } = await bundlePatched([kafkajsPatch()], writing);
  const parts = Object.keys(metafile.inputs).join("\n");
  assert.not.match(parts, /consumerGroup|requests\/(joinGroup|fetch|deleteTopics|createAcls|endTxn)\//);
});

test("a release with other code is refused", async () => {
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
  const failure = await runBundle([changed, kafkajsPatch()]).catch((error: unknown) => String(error));
  assert.match(String(failure), "kafkajs changed where its idle loop is patched");
});

test.run();
