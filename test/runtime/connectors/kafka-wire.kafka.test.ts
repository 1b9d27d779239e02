import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Input, Output } from "../../../runtime/component/component.ts";
import { kafkaFranzInput } from "../../../runtime/connectors/kafka/franz/input.ts";
import { kafkaFranzOutput } from "../../../runtime/connectors/kafka/franz/output.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { startProxiedKafka } from "../../harness/brokers/proxied-kafka.ts";
import { unique } from "../../harness/names.ts";
import { patience, until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";
import { connectKafka } from "./kafka-client.ts";
import { readRecords } from "./kafka-records.ts";
import { int32, requestsThrough, text } from "./kafka-wire.ts";

const test = suite("kafka on the wire");
const broker = await startProxiedKafka();
const addresses = [broker.proxied];
const peer = await connectKafka(broker.direct);
const { admin, client } = peer;
const sent = requestsThrough(broker.proxy);
test.after(async () => {
  await peer.close();
  await broker.stop();
});

const createTopic = () => peer.createTopic(unique("wire"));

/** Runs an input until the client with that name has sent a fetch request. Returns the requests that it sent. */
async function requestsOf(input: Input, name: string) {
  const of = (kind: "Fetch" | "JoinGroup") => sent(kind).filter(({ clientId }) => clientId === name);
  await input.start(inputContext());
  await until(() => of("Fetch").length > 0, { what: "a fetch" });
  await input.close();
  return {
    fetch: of("Fetch")[0]?.body ?? Buffer.alloc(0),
    join: of("JoinGroup")[0]?.body ?? Buffer.alloc(0),
  };
}

/** Returns the acknowledgements and the timeout in a produce request without a transaction. */
async function produceOf(output: Output, name: string) {
  await output.start(componentContext());
  await output.write(batchOf("a"));
  await output.close();
  const body = sent("Produce").find(({ clientId }) => clientId === name)?.body;
  return { acks: body?.readInt16BE(2), timeout: body?.readInt32BE(4) };
}

test("client_id, rack_id and group.* of an input are sent to the broker", async () => {
  const [topic, group, name] = [await createTopic(), randomUUID(), randomUUID()];
  const { fetch, join } = await requestsOf(
    kafkaInput({
      addresses,
      topics: [topic],
      consumer_group: group,
      client_id: name,
      rack_id: "rack-7",
      group: { session_timeout: 7654, heartbeat_interval: 321, rebalance_timeout: 45_678 },
    }),
    name,
  );
  assert.ok(join.indexOf(Buffer.concat([text(group), int32(7654), int32(45_678)])) === 0);
  assert.equal(fetch.subarray(-8), text("rack-7"));
});

test("rack_id and fetch_max_* of kafka_franz are sent to the broker", async () => {
  const [topic, name] = [await createTopic(), randomUUID()];
  const { fetch } = await requestsOf(
    kafkaFranzInput({
      seed_brokers: addresses,
      topics: [topic],
      consumer_group: randomUUID(),
      client_id: name,
      rack_id: "rack-8",
      fetch_max_wait: 234,
      fetch_max_bytes: "3MiB",
      fetch_max_partition_bytes: "77KiB",
    }),
    name,
  );
  assert.equal([fetch.readInt32BE(4), fetch.readInt32BE(12)], [234, 3 * 1024 * 1024]);
  // The partition's part ends before the list of forgotten topics, which is empty, and the rack id.
  assert.ok(fetch.includes(Buffer.concat([int32(77 * 1024), int32(0), text("rack-8")])));
});

test("the timeout and required acks of an output are sent to the broker", async () => {
  const topic = await createTopic();
  const names = [0, 1, 2].map(() => randomUUID());
  const [one = "", two = "", three = ""] = names;
  const franz = kafkaFranzOutput({ seed_brokers: addresses, topic, client_id: one, timeout: 4321 });
  assert.equal(await produceOf(franz, one), { acks: -1, timeout: 4321 });
  const plain = kafkaOutput({ addresses, topic, client_id: two, timeout: 3210 });
  assert.equal(await produceOf(plain, two), { acks: -1, timeout: 3210 });
  const leader = kafkaOutput({ addresses, topic, client_id: three, ack_replicas: false });
  assert.equal(await produceOf(leader, three), { acks: 1, timeout: 5000 });
});

for (const idempotent_write of [true, false]) {
  const outcome = idempotent_write ? "once" : "twice";
  test(`a record whose acknowledgement was lost is stored ${outcome}${idempotent_write ? "" : " without idempotent_write"}`, async () => {
    const topic = await createTopic();
    const backoff = { initial_interval: 50, max_interval: 200, max_elapsed_time: 0 };
    // Only the lost connection makes the output retry, not a slow broker.
    const output = kafkaOutput({ addresses, topic, idempotent_write, backoff, timeout: patience });
    await output.start(componentContext());
    await output.write(batchOf("a"));
    broker.proxy.mute();
    const written = output.write(batchOf("b"));
    await until(async () => (await admin.fetchTopicOffsets(topic))[0]?.offset === "2", {
      what: "the record",
    });
    broker.proxy.reset();
    await written;
    await output.write(batchOf("c"));
    await output.close();
    const expected = idempotent_write ? ["a", "b", "c"] : ["a", "b", "b", "c"];
    const records = await readRecords(client, topic, expected.length);
    assert.equal(
      records.map(({ value }) => value),
      expected,
    );
    assert.is((await admin.fetchTopicOffsets(topic))[0]?.offset, String(expected.length));
  });
}

test("a connection on which nothing is answered any more is replaced", async () => {
  const topic = await createTopic();
  const output = kafkaOutput({ addresses, topic, idempotent_write: true, timeout: 1000 });
  await output.start(componentContext());
  await output.write(batchOf("a"));
  broker.proxy.freeze();
  await Promise.all([output.write(batchOf("b")), output.write(batchOf("c"))]);
  await output.close();
  const records = await readRecords(client, topic, 3);
  assert.equal(
    records.map(({ value }) => value),
    ["a", "b", "c"],
  );
});

test.run();
