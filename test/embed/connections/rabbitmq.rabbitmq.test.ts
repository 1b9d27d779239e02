import { test } from "uvu";
import * as assert from "uvu/assert";
import { rabbitmq } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { streamFrom, streamTo, testedLines } from "./tested.ts";

const broker = await rabbitmq();
const { host } = new URL(broker.address);
const urls = [broker.address];
const [orders, shop] = [unique("orders"), unique("shop")];
const connection = await connectRabbitmq(broker.address);
const channel = await connection.createChannel();
await channel.assertQueue(orders);
await channel.assertExchange(shop, "topic");
await channel.bindQueue(orders, shop, "#");
channel.publish(shop, "new", Buffer.from("first"));

test.after(async () => {
  await channel.deleteQueue(orders);
  await channel.deleteExchange(shop);
  await connection.close();
  await broker.stop();
});

const entry = [`passed address ${host}`, "passed login"];
const unread = "untested right to read: RabbitMQ reports it only when something is read";
const unpublished = "untested right to publish: RabbitMQ reports it only when something is published";
const read = (options: object) => testedLines(streamFrom({ amqp_0_9: { urls, ...options } }));
const write = (options: object) => testedLines(streamTo({ amqp_0_9: { urls, ...options } }));

test("queues and exchanges are checked, and not changed", async () => {
  assert.equal(await read({ queue: orders, bindings_declare: [{ exchange: shop, key: "new" }] }), [
    ...entry,
    `passed queue ${orders}`,
    `passed exchange ${shop}`,
    unread,
  ]);
  assert.equal(await write({ exchange: shop, key: "new" }), [
    ...entry,
    `passed exchange ${shop}`,
    unpublished,
  ]);
  assert.equal(await write({ exchange: "", key: orders }), [...entry, `passed queue ${orders}`, unpublished]);
  assert.is((await channel.checkQueue(orders)).messageCount, 1);
});

test("missing queues and exchanges are failures, unless the gateway creates them", async () => {
  const [bills, mall] = [unique("bills"), unique("mall")];
  assert.equal((await read({ queue: bills })).slice(2), [
    `failed queue ${bills} (missing): there is no such queue in the virtual host`,
    unread,
  ]);
  assert.equal((await write({ exchange: mall })).slice(2), [
    `failed exchange ${mall} (missing): there is no such exchange in the virtual host`,
    unpublished,
  ]);
  assert.equal((await read({ queue: bills, queue_declare: { enabled: true } })).slice(2), [
    `untested queue ${bills}: it does not exist yet; the gateway creates it`,
    unread,
  ]);
  assert.equal((await write({ exchange: 'shop-${! json("city") }' })).slice(2), [
    "untested exchange: it is computed from each message",
    unpublished,
  ]);
});

test("a wrong password and a wrong virtual host are distinguished", async () => {
  const refused = "failed login (authentication): the broker does not accept the login";
  assert.equal((await read({ urls: [`amqp://guest:wrong@${host}`], queue: orders })).slice(1), [refused]);
  assert.equal((await read({ urls: [`amqp://guest:guest@${host}/nowhere`], queue: orders })).slice(1), [
    "failed login (forbidden): the user may not use the virtual host, or it does not exist",
  ]);
});

test("with AMQP 1.0, only the login is tested", async () => {
  const unlinked = "untested address: brokers may create what is missing on demand";
  const amqp_1 = { urls: [`amqp://guest:guest@${host}`], source_address: "/queue/made" };
  assert.equal(await testedLines(streamFrom({ amqp_1 })), [...entry, unlinked]);
  const wrong = { urls: [`amqp://guest:wrong@${host}`], source_address: "/queue/made" };
  assert.equal((await testedLines(streamFrom({ amqp_1: wrong }))).slice(1), [
    "failed login (authentication): the broker does not accept the login",
  ]);
});

test.run();
