import { randomUUID } from "node:crypto";
import { type Consumer, Kafka, logLevel } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createAssigner } from "../../../runtime/connectors/kafka/assigner.ts";
import { createKafka, kafkaUnreachable } from "../../../runtime/connectors/kafka/client.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafka } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { inputContext, recordingLogger } from "./contexts.ts";
import { connectKafka } from "./kafka-client.ts";

const test = suite("kafka groups");
const broker = await kafka();
const addresses = [broker.address];
const peer = await connectKafka(broker.address);
const { admin, client, producer } = peer;
test.after(async () => {
  await peer.close();
  await broker.stop();
});

const createTopic = (name: string, partitions: number) => peer.createTopic(unique(name), partitions);

/** Writes one record to each partition of each topic and returns their texts. */
async function fill(topics: Readonly<Record<string, number>>, word: string): Promise<string[]> {
  const texts: string[] = [];
  for (const [topic, partitions] of Object.entries(topics)) {
    const messages = Array.from({ length: partitions }, (_, partition) => ({
      partition,
      value: `${word} ${topic} ${partition}`,
    }));
    await producer.send({ topic, messages });
    texts.push(...messages.map(({ value }) => value));
  }
  return texts.toSorted();
}

/** Starts an input of the gateway that confirms what it reads. */
async function joinInput(group: string, topics: readonly string[]) {
  const context = inputContext();
  const input = kafkaInput({ addresses, topics, consumer_group: group, commit_period: 20 });
  await input.start(context);
  const texts = () => {
    for (const { confirm } of context.deliveries.all) confirm();
    return context.deliveries.all.map(({ text }) => text);
  };
  /** Returns the topics and how many partitions of each the latest assignment contains. */
  const assigned = () => {
    const line = context.lines.findLast(({ message }) => message === "reading from Kafka");
    const partitions = line?.fields.partitions as Record<string, number[]>; // the type of this field
    return Object.fromEntries(Object.entries(partitions).map(([topic, { length }]) => [topic, length]));
  };
  return { texts, assigned, lines: context.lines, close: () => input.close() };
}

/** Starts a consumer of kafkajs that uses none of the gateway's code. */
async function joinPlain(group: string, topics: string[]): Promise<{ consumer: Consumer; texts: string[] }> {
  const consumer = client.consumer({ groupId: group, maxWaitTimeInMs: 100, heartbeatInterval: 500 });
  const texts: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({ eachMessage: async ({ message }) => void texts.push(String(message.value)) });
  return { consumer, texts };
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);
const about = (topic: string) => (text: string) => text.includes(topic);

test("members of one group read different topics", async () => {
  const group = randomUUID();
  const [orders, payments] = [await createTopic("orders", 2), await createTopic("payments", 1)];
  const [first, second] = await Promise.all([joinInput(group, [orders]), joinInput(group, [payments])]);
  const written = await fill({ [orders]: 2, [payments]: 1 }, "one");
  await until(() => first.texts().length === 2 && second.texts().length === 1, { what: "all records" });
  assert.equal(first.texts().toSorted(), written.filter(about(orders)));
  assert.equal(second.texts(), written.filter(about(payments)));
  const warnings = [...first.lines, ...second.lines].filter(({ level }) => level === "warn");
  assert.equal(warnings, [], "a rebalance is nothing to warn of");
  await Promise.all([first.close(), second.close()]);
});

test("overlapping subscriptions share the partitions, and those of a leaving member are reassigned", async () => {
  const group = randomUUID();
  const [x, y, z] = [await createTopic("x", 4), await createTopic("y", 4), await createTopic("z", 4)];
  const members = await Promise.all([
    joinInput(group, [x, y]),
    joinInput(group, [y, z]),
    joinInput(group, [x, z]),
  ]);
  const [xy, yz, xz] = members;
  const texts = () => members.flatMap((member) => member.texts());
  await until(() => members.every((member) => sum(member.assigned()) === 4), { what: "4 partitions each" });
  const written = await fill({ [x]: 4, [y]: 4, [z]: 4 }, "before");
  await until(() => written.every((text) => texts().includes(text)), { what: "all records" });

  await xz.close();
  await until(() => sum(xy.assigned()) + sum(yz.assigned()) === 12, { what: "all partitions assigned" });
  assert.equal([xy.assigned()[x], xy.assigned()[z]], [4, undefined]);
  assert.equal([yz.assigned()[x], yz.assigned()[z]], [undefined, 4]);
  const more = await fill({ [x]: 4, [y]: 4, [z]: 4 }, "after");
  await until(() => more.every((text) => texts().includes(text)), { what: "all records" });
  for (const [member, foreign] of [
    [xy, z],
    [yz, x],
    [xz, y],
  ] as const) {
    assert.not.ok(member.texts().some(about(foreign)));
  }
  await Promise.all([xy.close(), yz.close()]);
});

test("a plain kafkajs consumer can be a member of the group", async () => {
  const group = randomUUID();
  const [ours, its] = [await createTopic("ours", 2), await createTopic("its", 2)];
  const input = await joinInput(group, [ours]);
  const plain = await joinPlain(group, [its]);
  const written = await fill({ [ours]: 2, [its]: 2 }, "one");
  await until(() => input.texts().length === 2 && plain.texts.length === 2, { what: "all records" });
  assert.equal(plain.texts.toSorted(), written.filter(about(its)));
  await input.close();
  await plain.consumer.disconnect();
});

test("a plain kafkajs consumer may lead the group", async () => {
  const group = randomUUID();
  const topic = await createTopic("shared", 2);
  const plain = await joinPlain(group, [topic]);
  const input = await joinInput(group, [topic]);
  await until(() => sum(input.assigned()) === 1, { what: "a partition each" });
  const written = await fill({ [topic]: 2 }, "one");
  await until(() => [...input.texts(), ...plain.texts].length === 2, { what: "all records" });
  assert.equal([...input.texts(), ...plain.texts].toSorted(), written);
  await input.close();
  await plain.consumer.disconnect();
});

test("new partitions of a topic that the leader does not read are read", async () => {
  const group = randomUUID();
  const [leading, growing] = [await createTopic("leading", 1), await createTopic("growing", 1)];
  const join = async (topic: string) => {
    let owned: Record<string, number[]> = {};
    // Each consumer has its own client: consumers of one group and one client mix up their offsets.
    const consumer = new Kafka({ brokers: addresses, logLevel: logLevel.NOTHING }).consumer({
      groupId: group,
      partitionAssigners: [createAssigner(() => owned)],
      maxWaitTimeInMs: 50,
      heartbeatInterval: 50,
      metadataMaxAge: 100,
    });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      owned = payload.memberAssignment;
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic] });
    await consumer.run({ eachMessage: () => Promise.resolve() });
    return { consumer, partitions: () => owned[topic]?.length };
  };
  const leader = await join(leading);
  const member = await join(growing);
  // A third member joins, so that this member has already reported what it reads.
  const third = await join(leading);
  await until(() => third.partitions() === undefined && member.partitions() === 1, { what: "settling" });
  await admin.createPartitions({ topicPartitions: [{ topic: growing, count: 2 }] });
  await until(() => member.partitions() === 2, { what: "the new partition" });
  assert.is(leader.partitions(), 1);
  for (const { consumer } of [leader, member, third]) await consumer.disconnect();
});

test("a deleted topic does not affect members that read another topic", async () => {
  const group = randomUUID();
  const [kept, dropped] = [await createTopic("kept", 1), await createTopic("dropped", 1)];
  const input = await joinInput(group, [kept]);
  const other = await joinInput(group, [dropped]);
  await until(() => sum(other.assigned()) === 1, { what: "the other's partition" });
  await admin.deleteTopics({ topics: [dropped] });
  const third = await joinInput(group, [kept]);
  const written = await fill({ [kept]: 1 }, "one");
  await until(() => [...input.texts(), ...third.texts()].length > 0, { what: "the record" });
  assert.equal([...input.texts(), ...third.texts()], written);
  await Promise.all([input.close(), other.close(), third.close()]);
});

test("failures say why the broker is unreachable, and it is logged at most once", async () => {
  const log: Parameters<typeof recordingLogger>[0] = [];
  const port = await freePort();
  const unreachable = createKafka(
    { addresses: [`127.0.0.1:${port}`], client_id: "test" },
    recordingLogger(log),
  );
  const lost = unreachable.admin();
  const failure = await lost.connect().catch((error: unknown) => kafkaUnreachable(error, "unreachable"));
  await lost.disconnect();
  assert.match(String(failure), `broker \`127.0.0.1:${port}\` unreachable (connection refused)`);
  assert.ok(log.filter(({ level }) => level === "warn").length <= 1);
});

test.run();
