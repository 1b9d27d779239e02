import { connect } from "amqplib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { amqp09Output } from "../../../runtime/connectors/amqp-0-9/output.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { startRabbitmq } from "../../harness/brokers/rabbitmq.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { amqpPeer, reasonOf } from "./amqp-peer.ts";
import { batchOf, componentContext } from "./contexts.ts";

const test = suite("amqp_0_9 output");
const rabbit = await amqpPeer();
const { urls, channel, counted, newQueue, reader } = rabbit;
test.after(rabbit.stop);

test("a message is published with all configured properties", async () => {
  const queue = await newQueue({ maxPriority: 9 });
  const messages = await reader(queue);
  const computed = (name: string) => (batch: readonly Message[], index: number) =>
    `${name}-${String(batch[index]?.metadata.get("id"))}`;
  const output = amqp09Output({
    urls,
    exchange: () => "",
    key: () => queue,
    type: computed("type"),
    content_type: "application/json",
    content_encoding: computed("encoding"),
    correlation_id: computed("correlation"),
    reply_to: computed("reply"),
    expiration: () => "60000",
    message_id: computed("message"),
    user_id: "guest",
    app_id: computed("app"),
    priority: () => "7",
    persistent: true,
    metadata: { exclude_prefixes: ["secret_", "Cookie"] },
  });
  await output.start(componentContext());
  const metadata = new Map<string, Value>([
    ["id", "a1"],
    ["count", 2],
    ["secret_key", "s"],
    ["Cookie", "c"],
    ["kafka_topic", "t"],
    ["amqp_exchange", "e"],
  ]);
  await output.write([Message.fromText("{}", metadata)]);
  const { content, properties, fields } = await messages.next();
  assert.is(content.toString(), "{}");
  assert.is(fields.exchange, "");
  assert.equal({ ...properties.headers }, { id: "a1", count: "2" });
  assert.equal(
    { ...properties, headers: undefined },
    {
      contentType: "application/json",
      contentEncoding: "encoding-a1",
      headers: undefined,
      deliveryMode: 2,
      priority: 7,
      correlationId: "correlation-a1",
      replyTo: "reply-a1",
      expiration: "60000",
      messageId: "message-a1",
      timestamp: undefined,
      type: "type-a1",
      userId: "guest",
      appId: "app-a1",
      clusterId: undefined,
    },
  );
  await output.close();
});

test("a message without configured properties has the default content type and is not persistent", async () => {
  const queue = await newQueue();
  const messages = await reader(queue);
  const output = amqp09Output({ urls, exchange: "", key: queue });
  await output.start(componentContext());
  await output.write(batchOf("a", "b"));
  const [first, second] = await messages.take(2);
  assert.equal([first?.content.toString(), second?.content.toString()], ["a", "b"]);
  assert.is(first?.properties.contentType, "application/octet-stream");
  assert.is(first?.properties.deliveryMode, 1);
  assert.is(first?.properties.messageId, undefined);
  await output.close();
});

test("missing exchanges are declared, and route by their type", async () => {
  for (const [type, keys] of [
    ["direct", ["a"]],
    ["fanout", ["a", "a.b"]],
    ["topic", ["a", "a.b"]],
  ] as const) {
    const exchange = unique(type);
    const declare = { enabled: true, type, durable: false } as const;
    const output = amqp09Output({ urls, exchange, exchange_declare: declare, key: "${unused}" });
    await output.start(componentContext());
    const queue = await newQueue({ durable: false, exclusive: true });
    await channel.bindQueue(queue, exchange, type === "topic" ? "a.#" : "a");
    const messages = await reader(queue);
    const keyed = amqp09Output({
      urls,
      exchange: () => exchange,
      exchange_declare: declare,
      key: (batch, index) => Buffer.from(batch[index]?.bytes() ?? []).toString(),
    });
    await keyed.start(componentContext());
    await keyed.write(batchOf("a", "a.b"));
    assert.equal(
      (await messages.take(keys.length)).map(({ content }) => content.toString()),
      keys,
      type,
    );
    // The broker refuses to declare the exchange as durable, which proves that it is not durable.
    const durable = amqp09Output({ urls, exchange, exchange_declare: { enabled: true, type } });
    assert.is(
      await reasonOf(durable.start(componentContext())),
      "RabbitMQ refused to declare the exchange (406 PRECONDITION_FAILED)",
    );
    for (const each of [output, keyed, durable]) await each.close();
    await channel.deleteExchange(exchange);
  }
  const unknown = amqp09Output({
    urls,
    exchange: unique("x"),
    exchange_declare: { enabled: true, type: "x-custom" },
  });
  assert.is(
    await reasonOf(unknown.start(componentContext())),
    "RabbitMQ refused to declare the exchange (503 COMMAND_INVALID)",
  );
  await unknown.close();
});

test("a missing exchange fails the start, or only the writes to it where it is computed", async () => {
  const missing = unique("none");
  const fixed = amqp09Output({ urls, exchange: missing });
  assert.is(await reasonOf(fixed.start(componentContext())), "RabbitMQ refused the exchange (404 NOT_FOUND)");
  await fixed.close();
  const queue = await newQueue();
  const exchange = (batch: readonly Message[], index: number) =>
    Buffer.from(batch[index]?.bytes() ?? []).toString() === "bad" ? missing : "";
  const context = componentContext();
  const output = amqp09Output({ urls, exchange, key: queue });
  await output.start(context);
  const outcomes = await Promise.all(["a", "bad", "b"].map((text) => reasonOf(output.write(batchOf(text)))));
  assert.equal(outcomes, ["it went well", "RabbitMQ refused the exchange (404 NOT_FOUND)", "it went well"]);
  assert.equal(
    context.lines.filter(({ level }) => level === "warn"),
    [],
  ); // the other messages keep their channel
  await output.close();
});

test("an unroutable mandatory message fails, and no other message does", async () => {
  const queue = await newQueue();
  const key = (batch: readonly Message[], index: number) =>
    Buffer.from(batch[index]?.bytes() ?? [])
      .toString()
      .startsWith("bad")
      ? unique("none")
      : queue;
  const strict = amqp09Output({ urls, exchange: "", key, mandatory: true });
  await strict.start(componentContext());
  const outcomes = await Promise.all(
    ["a", "bad1", "b", "bad2", "c"].map((text) => reasonOf(strict.write(batchOf(text)))),
  );
  const refused = "RabbitMQ has no queue for the message (312 NO_ROUTE)";
  assert.equal(outcomes, ["it went well", refused, "it went well", refused, "it went well"]);
  // The client cannot read this header in a returned message.
  const unreadable = Message.fromText("bad", new Map([["__proto__", "x"]]));
  assert.is(await reasonOf(strict.write([unreadable])), refused);
  await strict.close();
  const lax = amqp09Output({ urls, exchange: "", key });
  await lax.start(componentContext());
  await lax.write(batchOf("bad"));
  await lax.close();
  assert.is(await counted(queue), 3);
});

test("a message with invalid property values fails alone", async () => {
  const queue = await newQueue();
  const from = (name: string) => (batch: readonly Message[], index: number) =>
    String(batch[index]?.metadata.get(name) ?? "");
  const output = amqp09Output({
    urls,
    exchange: "",
    key: queue,
    priority: from("p"),
    expiration: from("e"),
    message_id: from("i"),
    metadata: { exclude_prefixes: ["i"] },
  });
  const context = componentContext();
  await output.start(context);
  const attempt = (...metadata: [string, string][]) =>
    reasonOf(output.write([Message.fromText("a", new Map<string, Value>(metadata))]));
  const outcomes = await Promise.all([
    attempt(["p", "high"]),
    attempt(["p", "256"]),
    attempt(["e", "1s"]),
    attempt(["i", "x".repeat(256)]),
    attempt(["h", "x".repeat(70_000)]),
    attempt(["p", "255"], ["e", "0600000"]),
  ]);
  assert.equal(outcomes, [
    "The computed `priority` is not a number from 0 to 255",
    "The computed `priority` is not a number from 0 to 255",
    "The computed `expiration` is not a number of milliseconds",
    "The computed `message_id` is not an AMQP short string",
    "The metadata of the message are larger than AMQP headers can be",
    "it went well",
  ]);
  assert.equal(
    context.lines.filter(({ level }) => level === "warn"),
    [],
  );
  await output.close();
});

test("a message that RabbitMQ does not accept for its size is final, and the others arrive", async () => {
  const broker = await startRabbitmq({ configuration: ["max_message_size = 1000"] });
  const peer = await connect(broker.address);
  const channel = await peer.createChannel();
  const { queue } = await channel.assertQueue("");
  const output = amqp09Output({ urls: [broker.address], exchange: "", key: queue });
  const context = componentContext();
  await output.start(context);
  const write = (size: number) => reasonOf(output.write(batchOf("x".repeat(size))));
  const refused = "The message is larger than the 1000 bytes that RabbitMQ accepts";
  const [, large, behind] = await Promise.all([write(1), write(1001), write(1000)]);
  assert.is(large, refused);
  assert.is(behind, "it went well");
  // The limit is known now: a further one does not end the channel.
  assert.equal(await Promise.all([write(1), write(1001), write(1000)]), [
    "it went well",
    refused,
    "it went well",
  ]);
  assert.is(context.lines.filter(({ level }) => level === "warn").length, 1);
  await output.close();
  // The first one may have arrived twice: the broker may have ended the channel before it confirmed it.
  assert.ok([4, 5].includes((await channel.checkQueue(queue)).messageCount));
  await peer.close();
  await broker.stop();
});

test("a computed user_id other than the connection's user fails alone, and keeps the channel open", async () => {
  const queue = await newQueue();
  const context = componentContext();
  const output = amqp09Output({
    urls,
    exchange: "",
    key: queue,
    user_id: (batch, index) => Buffer.from(batch[index]?.bytes() ?? []).toString(),
  });
  await output.start(context);
  const reason = "The computed `user_id` is not the user of the connection";
  assert.is(await reasonOf(output.write(batchOf("somebody"))), reason);
  assert.is(await reasonOf(output.write(batchOf("guest"))), "it went well");
  await output.close();
  assert.is(await counted(queue), 1);
  assert.equal(
    context.lines.filter(({ level }) => level === "warn"),
    [],
  );
});

test("a configured user_id that RabbitMQ rejects closes the channel, and the output recovers", async () => {
  const context = componentContext();
  const output = amqp09Output({ urls, exchange: "", key: await newQueue(), user_id: "somebody" });
  await output.start(context);
  assert.match(await reasonOf(output.write(batchOf("one"))), /^RabbitMQ did not confirm the message/);
  const lost = await until(() => context.lines.find(({ message }) => message.includes("connection lost")));
  assert.match(String(lost.fields.reason), /406 \(PRECONDITION-FAILED\)/);
  await until(() => context.lines.find(({ message }) => message === "connected to RabbitMQ again"));
  await output.close();
});

test.run();
