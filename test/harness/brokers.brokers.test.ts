import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { Kafka, logLevel } from "kafkajs";
import { connectAsync } from "mqtt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startMosquitto } from "./brokers/mosquitto.ts";
import { startNats } from "./brokers/nats.ts";
import { startRedis } from "./brokers/redis.ts";
import { kafka, mosquitto, nats, rabbitmq, redis } from "./brokers.ts";
import { temporaryDirectory } from "./directories.ts";
import { unique } from "./names.ts";
import { Queue } from "./queue.ts";
import { connectRabbitmq } from "./rabbitmq-client.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

test("Kafka creates a topic, accepts messages and stores offsets of a group", async () => {
  const broker = await kafka();
  const client = new Kafka({ brokers: broker.address.split(","), logLevel: logLevel.NOTHING });
  const [topic, groupId] = [unique("orders"), unique("group")];
  const admin = client.admin();
  await admin.connect();
  assert.is(await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true }), true);

  const producer = client.producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ key: "a", value: "1", headers: { h: "x" } }, { value: "2" }] });
  await producer.disconnect();

  const consumer = client.consumer({ groupId, maxWaitTimeInMs: 100 });
  const received = new Queue<string>();
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      const next = String(BigInt(message.offset) + 1n);
      await consumer.commitOffsets([{ topic, partition, offset: next }]);
      received.push(`${message.key}=${message.value} ${message.headers?.h ?? ""}`);
    },
  });
  assert.equal(await received.take(2), ["a=1 x", "null=2 "]);
  const { groups } = await admin.listGroups();
  assert.ok(groups.some((group) => group.groupId === groupId));
  await consumer.disconnect();

  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  assert.is(offsets?.partitions[0]?.offset, "2");
  await admin.deleteGroups([groupId]);
  await admin.deleteTopics({ topics: [topic] });
  await admin.disconnect();
  await broker.stop();
});

test("NATS delivers messages, and JetStream keeps a message across a restart", async () => {
  const broker = await nats();
  const connection = await connectNats({ servers: broker.address });
  const subscription = connection.subscribe("orders.*");
  connection.publish("orders.new", "a1");
  for await (const message of subscription) {
    assert.is(`${message.subject} ${message.string()}`, "orders.new a1");
    break;
  }
  await connection.close();
  await broker.stop();

  const directory = temporaryDirectory("nats-restart");
  const first = await startNats({ directory });
  const before = await connectNats({ servers: first.address });
  await (await jetstreamManager(before)).streams.add({ name: "kept", subjects: ["kept.>"] });
  await jetstream(before).publish("kept.one", "still here");
  await before.close();
  await first.stop();

  const second = await startNats({ directory, port: Number(new URL(first.address).port) });
  const after = await connectNats({ servers: second.address });
  const kept = await (await jetstreamManager(after)).streams.getMessage("kept", { seq: 1 });
  assert.is(kept?.string(), "still here");
  await after.close();
  await second.stop();
});

test("Mosquitto serves MQTT 3.1.1 and 5, and keeps a retained message across a restart", async () => {
  const broker = await mosquitto();
  const topic = unique("orders");
  for (const protocolVersion of [4, 5] as const) {
    const client = await connectAsync(broker.address, { protocolVersion });
    const received = new Queue<string>();
    client.on("message", (_, payload) => received.push(payload.toString()));
    await client.subscribeAsync(`${topic}/${protocolVersion}`, { qos: 1 });
    await client.publishAsync(`${topic}/${protocolVersion}`, `v${protocolVersion}`, { qos: 1 });
    assert.is(await received.next(), `v${protocolVersion}`);
    await client.endAsync();
  }
  await broker.stop();

  const directory = temporaryDirectory("mosquitto-restart");
  const first = await startMosquitto({ directory, persistence: true });
  const before = await connectAsync(first.address);
  await before.publishAsync("kept", "still here", { qos: 1, retain: true });
  await before.endAsync();
  await first.stop();

  const port = Number(new URL(first.address).port);
  const second = await startMosquitto({ directory, persistence: true, port });
  const after = await connectAsync(second.address);
  const retained = new Queue<string>();
  after.on("message", (_, payload) => retained.push(payload.toString()));
  await after.subscribeAsync("kept");
  assert.is(await retained.next(), "still here");
  await after.endAsync();
  await second.stop();
});

test("RabbitMQ delivers, and a lost connection of a test's own client fails only what it is asked next", async () => {
  const broker = await rabbitmq();
  const { port } = new URL(broker.address);
  const proxy = await startTcpProxy(Number(port));
  const client = await connectRabbitmq(broker.address.replace(`:${port}`, `:${proxy.port}`));
  const channel = await client.createConfirmChannel();
  const { queue } = await channel.assertQueue("", { exclusive: true });
  const received = new Queue<string>();
  await channel.consume(queue, (message) => received.push(String(message?.content)), { noAck: true });
  channel.sendToQueue(queue, Buffer.from("a1"));
  assert.is(await received.next(), "a1");

  const lost = new Promise((resolve) => client.on("close", resolve));
  proxy.reset();
  await lost;
  const refusal = await client.createChannel().catch(String);
  assert.match(String(refusal), /Connection closed/);
  await proxy.close();
  await broker.stop();
});

test("Redis responds, and keeps a value across a restart", async () => {
  const broker = await redis();
  const client = new Redis(broker.address);
  const key = unique("key");
  await client.set(key, "a1", "PX", 60_000);
  assert.is(await client.get(key), "a1");
  await client.quit();
  await broker.stop();

  const directory = temporaryDirectory("redis-restart");
  const first = await startRedis({ directory });
  const before = new Redis(first.address);
  await before.set("kept", "still here");
  await before.quit();
  await first.stop();

  const second = await startRedis({ directory, port: Number(new URL(first.address).port) });
  const after = new Redis(second.address);
  assert.is(await after.get("kept"), "still here");
  await after.quit();
  await second.stop();
});

test.run();
