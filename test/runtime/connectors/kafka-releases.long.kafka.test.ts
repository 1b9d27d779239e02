// Other releases of Kafka than that of the suites: what is written must be read by the clients of others, and by ours.

import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { kafkaCommand } from "../../harness/brokers/kafka.ts";
import { kafkaVersion } from "../../harness/brokers/kafka-jars.ts";
import { createKafkaTopic } from "../../harness/brokers/kafka-topics.ts";
import { startKafkaRelease } from "../../harness/brokers/older-kafka.ts";
import { unique } from "../../harness/names.ts";
import { run } from "../../harness/processes.ts";
import { installFromPypi } from "../../harness/registry-packages.ts";
import { patience } from "../../harness/wait.ts";
import { componentContext, inputContext } from "./contexts.ts";
import { connectKafka } from "./kafka-client.ts";

const test = suite("releases of Kafka");
const path = await installFromPypi({ name: "librdkafka", packages: ["confluent-kafka==2.11.1"] });

/** The last release whose topics may have the formats of records before 0.11. */
const lastWithFormats = "2.8.2";

/** The release whose consumer prints records: the last one before its tools moved to another package. */
const consumerVersion = "3.3.2";

/** A record in plain values. */
interface PlainRecord {
  readonly key: string | undefined;
  readonly value: string;
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
}

const random = (length: number) => randomBytes(length / 2).toString("hex");

/** Records that are written alone. */
const unlike: readonly PlainRecord[] = [
  { key: "k", value: "plain", headers: [["a", Buffer.from("1")]] },
  { key: undefined, value: "", headers: [] },
  {
    key: "ключ",
    value: "zażółć gęślą jaźń",
    headers: [
      ["naïve", Buffer.from("日本")],
      ["empty", Buffer.of()],
    ],
  },
  { key: "bytes", value: "of a header", headers: [["bytes", Buffer.of(0x80, 0xff, 0x00, 0x41)]] },
  { key: "k", value: random(200_000), headers: [] },
  { key: "k", value: "again ".repeat(50_000), headers: [["long", Buffer.from("x".repeat(3000))]] },
];

/** Records that are written together. */
const small: readonly PlainRecord[] = Array.from({ length: 200 }, (_, index) => ({
  key: `k${index}`,
  value: random(index * 2),
  headers: [],
}));
const records = [...unlike, ...small];

const keyOf = (batch: readonly Message[], index: number) => String(batch[index]?.metadata.get("kafka_key"));

/** Each compression, by both kinds of producers in turn. */
const writers = [
  ["none", false],
  ["none", true],
  ["gzip", true],
  ["snappy", false],
  ["lz4", true],
  ["zstd", false],
] as const;

function messageOf({ key, value, headers }: PlainRecord): Message {
  const metadata = new Map<string, Value>([["kafka_key", key ?? ""]]);
  for (const [name, bytes] of headers) metadata.set(name, isUtf8(bytes) ? bytes.toString() : bytes);
  return Message.fromText(value, metadata);
}

/** Returns what librdkafka reads. */
async function readByLibrdkafka(address: string, topic: string, count: number) {
  const source = join(import.meta.dirname, "librdkafka_reader.py");
  const { stdout, stderr, status } = await run("python3", [source, address, topic, String(count)], {
    env: { PYTHONPATH: path },
    timeout: 2 * patience,
  });
  assert.is(status, 0, stderr);
  const plain = (text: string) => Buffer.from(text, "base64");
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const { key, value, headers, time } = JSON.parse(line);
      const record: PlainRecord = {
        key: key === null ? undefined : plain(key).toString(),
        value: plain(value).toString(),
        headers: headers.map(([name, text]: [string, string]) => [name, plain(text)]),
      };
      return { record, time };
    });
}

/** Returns the lines that Java's consumer prints. */
async function readByJava(address: string, topic: string, count: number): Promise<readonly string[]> {
  const [java, ...command] = await kafkaCommand(consumerVersion);
  const printed = ["timestamp", "headers", "key"].flatMap((what) => ["--property", `print.${what}=true`]);
  const place = ["--bootstrap-server", address, "--topic", topic, "--from-beginning"];
  const { stdout, stderr, status } = await run(
    java,
    [
      ...command,
      "-Dfile.encoding=UTF-8",
      "kafka.tools.ConsoleConsumer",
      ...place,
      ...["--isolation-level", "read_committed", "--max-messages", String(count)],
      ...["--timeout-ms", String(patience), ...printed],
    ],
    { timeout: 2 * patience },
  );
  assert.is(status, 0, stderr);
  return stdout.split("\n").slice(0, -1);
}

function javaLine({
  record: { key, value, headers },
  time,
}: {
  readonly record: PlainRecord;
  readonly time: number;
}) {
  const named = headers.map(([name, bytes]) => `${name}:${bytes}`).join(",") || "NO_HEADERS";
  return [`CreateTime:${time}`, named, key ?? "null", value].join("\t");
}

async function readByGateway(address: string, topic: string, count: number) {
  const input = kafkaInput({ addresses: [address], topics: [topic], consumer_group: unique("gateway") });
  const context = inputContext();
  await input.start(context);
  const deliveries = await context.deliveries.take(count);
  for (const { confirm } of deliveries) confirm();
  await input.close();
  return deliveries.map(({ batch: [message] }) => {
    if (message === undefined) throw new Error("an empty batch");
    const metadata = new Map(message.metadata);
    const key = String(metadata.get("kafka_key"));
    const headers = [...metadata].filter(([name]) => !name.startsWith("kafka_"));
    const bytes = (value: unknown) => Buffer.from(String(value));
    const record: PlainRecord = {
      key: key === "" ? undefined : key,
      value: Buffer.from(message.bytes()).toString(),
      headers: headers.map(([name, value]) => [name, bytes(value)]),
    };
    return { record, time: metadata.get("kafka_timestamp_unix_ms") };
  });
}

/** Bytes of a header that are no text are read as text with replacement characters. */
function asText(record: PlainRecord): PlainRecord {
  return { ...record, headers: record.headers.map(([name, bytes]) => [name, Buffer.from(String(bytes))]) };
}

for (const version of [lastWithFormats, "3.9.1", kafkaVersion]) {
  const broker = await startKafkaRelease({ version });
  const { address } = broker;
  const addresses = [address];
  const peer = await connectKafka(address);
  test.after(async () => {
    await peer.close();
    await broker.stop();
  });

  for (const [compression, idempotent_write] of writers) {
    const producer = idempotent_write ? "an idempotent" : "a plain";
    test(`Kafka ${version}: all clients read the same records of ${producer} producer in ${compression}`, async () => {
      const topic = await peer.createTopic(unique("released"));
      const output = kafkaOutput({ addresses, topic, compression, idempotent_write, key: keyOf });
      await output.start(componentContext());
      const begun = Date.now();
      for (const record of unlike) await output.write([messageOf(record)]);
      await output.write(small.map(messageOf));
      const ended = Date.now();
      await output.close();
      const read = await readByLibrdkafka(address, topic, records.length);
      assert.equal(
        read.map(({ record }) => record),
        records,
      );
      assert.ok(read.every(({ time }) => begun <= time && time <= ended));
      assert.equal(await readByJava(address, topic, records.length), read.map(javaLine));
      const ours = read.map(({ record, time }) => ({ record: asText(record), time }));
      assert.equal(await readByGateway(address, topic, records.length), ours);
    });
  }

  if (version !== lastWithFormats) continue;
  test("a topic in the format of Kafka 0.9 has no times, and an idempotent producer learns that it is too old", async () => {
    const topic = unique("old");
    await createKafkaTopic(peer.admin, topic, 1, [{ name: "message.format.version", value: "0.9.0" }]);
    const output = kafkaOutput({ addresses, topic, compression: "gzip", key: "k" });
    await output.start(componentContext());
    await output.write([Message.fromText("a"), Message.fromText("b")]);
    await output.close();
    assert.equal(
      (await readByGateway(address, topic, 2)).map(({ record, time }) => [record.key, record.value, time]),
      [
        ["k", "a", -1],
        ["k", "b", -1],
      ],
    );
    const idempotent = kafkaOutput({ addresses, topic, idempotent_write: true });
    await idempotent.start(componentContext());
    const refusal = await idempotent.write([Message.fromText("a")]).catch(String);
    await idempotent.close();
    assert.match(String(refusal), /UNSUPPORTED_FOR_MESSAGE_FORMAT: .* `idempotent_write`/);
  });
}

test.run();
