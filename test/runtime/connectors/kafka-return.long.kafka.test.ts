import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kafkaFranzInput } from "../../../runtime/connectors/kafka/franz/input.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { startProxiedKafka } from "../../harness/brokers/proxied-kafka.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";
import { connectKafka } from "./kafka-client.ts";

const test = suite("kafka members that come back");
const broker = await startProxiedKafka();
const peer = await connectKafka(broker.direct);
const { admin, producer } = peer;
test.after(async () => {
  await peer.close();
  await broker.stop();
});

const createTopic = (partitions = 1) => peer.createTopic(unique("return"), partitions);

/** Writes texts to one partition, in order. */
async function produce(topic: string, ...texts: readonly string[]): Promise<void> {
  await producer.send({ topic, messages: texts.map((value) => ({ value, partition: 0 })) });
}

async function members(group: string): Promise<number | undefined> {
  const { groups } = await admin.describeGroups([group]);
  return groups[0]?.members.length;
}

async function committed(groupId: string, topic: string): Promise<string | undefined> {
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return offsets?.partitions[0]?.offset;
}

/** Starts an input behind the proxy. Its group soon considers it dead, and it commits only when it has to. */
async function joinInput(group: string, topic: string, address = broker.proxied) {
  const context = inputContext();
  const input = kafkaInput({
    addresses: [address],
    topics: [topic],
    consumer_group: group,
    commit_period: 600_000,
    group: { session_timeout: 1500, heartbeat_interval: 100, rebalance_timeout: 3000 },
  });
  await input.start(context);
  const joins = () => context.lines.filter(({ message }) => message === "reading from Kafka").length;
  return { ...context, input, joins, texts: () => context.deliveries.all.map(({ text }) => text) };
}

test("a member removed from its group redelivers nothing that it has delivered or has in flight", async () => {
  const [group, topic] = [randomUUID(), await createTopic()];
  await produce(topic, "a", "b", "c", "d");
  const one = await joinInput(group, topic);
  const [a, b, c, d] = await one.deliveries.take(4);
  a?.confirm();
  b?.confirm();
  d?.confirm();
  broker.proxy.hold();
  await until(async () => (await members(group)) === 0, { what: "the end of the membership" });
  broker.proxy.release();
  await until(() => one.joins() === 2, { what: "another membership" });
  await produce(topic, "e");
  (await one.deliveries.next()).confirm();
  assert.equal(one.texts(), ["a", "b", "c", "d", "e"]);
  c?.confirm();
  await one.input.close();
  assert.is(await committed(group, topic), "5");
});

test("it resumes where another member has read to in the meantime", async () => {
  const [group, topic] = [randomUUID(), await createTopic()];
  await produce(topic, "a", "b", "c");
  const one = await joinInput(group, topic);
  const [a] = await one.deliveries.take(3);
  a?.confirm();
  broker.proxy.hold();
  await until(async () => (await members(group)) === 0, { what: "the end of the membership" });
  const two = await joinInput(group, topic, broker.direct);
  await produce(topic, "d");
  for (const { confirm } of await two.deliveries.take(4)) confirm();
  await two.input.close();
  assert.is(await committed(group, topic), "4");
  broker.proxy.release();
  await until(() => one.joins() === 2, { what: "another membership" });
  await produce(topic, "e");
  await until(() => one.texts().includes("e"), { what: "the newest message" });
  // Records in flight when the member was removed may be read again, but no member reads a record twice.
  assert.equal(
    one.texts().filter((text) => text !== "d"),
    ["a", "b", "c", "e"],
  );
  for (const { confirm } of one.deliveries.all) confirm();
  await one.input.close();
  assert.is(await committed(group, topic), "5");
});

test("a member removed by a lost connection rejoins its group immediately", async () => {
  const [group, topic] = [randomUUID(), await createTopic()];
  await produce(topic, "a");
  const one = await joinInput(group, topic);
  (await one.deliveries.next()).confirm();
  broker.proxy.reset();
  await produce(topic, "b");
  (await one.deliveries.next()).confirm();
  assert.equal(one.texts(), ["a", "b"]);
  assert.is(await members(group), 1, "nothing is left of its former life");
  await one.input.close();
  assert.is(await committed(group, topic), "2");
});

test("kafka_franz with a checkpoint_limit of 1 keeps the order of a partition when connections are cut", async () => {
  const topic = await createTopic();
  const texts = Array.from({ length: 60 }, (_, index) => String(index));
  await produce(topic, ...texts);
  const context = inputContext();
  const input = kafkaFranzInput({
    seed_brokers: [broker.proxied],
    topics: [topic],
    consumer_group: randomUUID(),
    checkpoint_limit: 1,
    fetch_max_wait: 100,
  });
  await input.start(context);
  for (const text of texts) {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, text);
    assert.is(context.deliveries.all.length, Number(text) + 1, "one at a time");
    if (Number(text) % 20 === 10) broker.proxy.reset();
    delivery.confirm();
  }
  await input.close();
});

test("a group that starts with new records misses none while its member is absent", async () => {
  const topic = await createTopic();
  await produce(topic, "before");
  const context = inputContext();
  const options = { topics: [topic], consumer_group: randomUUID(), start_from_oldest: false };
  const input = kafkaInput({ addresses: [broker.proxied], ...options });
  await input.start(context);
  await input.close();
  await produce(topic, "meanwhile");
  const again = kafkaInput({ addresses: [broker.proxied], ...options });
  await again.start(context);
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "meanwhile");
  confirm();
  await again.close();
});

test.run();
