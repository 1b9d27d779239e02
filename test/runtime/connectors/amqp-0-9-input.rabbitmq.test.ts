import { suite } from "uvu";
import * as assert from "uvu/assert";
import { amqp09Input } from "../../../runtime/connectors/amqp-0-9/input.ts";
import { rejectingAmqp09Input } from "../../../runtime/connectors/amqp-0-9/rejecting-input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { inputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { amqpPeer, reasonOf } from "./amqp-peer.ts";
import { inputContext, outagesInto } from "./contexts.ts";

const test = suite("amqp_0_9 input");
const rabbit = await amqpPeer();
const { urls, channel, counted, emptied, newQueue, send, reader } = rabbit;
test.after(rabbit.stop);

test("a message is acknowledged once it is delivered, and carries its properties and headers", async () => {
  const queue = await newQueue({ maxPriority: 9 });
  const context = inputContext();
  const input = amqp09Input({ urls, queue, consumer_tag: "shop" });
  await input.start(context);
  channel.sendToQueue(queue, Buffer.from("one"), {
    contentType: "text/plain",
    contentEncoding: "identity",
    persistent: true,
    priority: 4,
    correlationId: "c1",
    replyTo: "answers",
    expiration: "60000",
    messageId: "m1",
    timestamp: 1_700_000_000,
    type: "order",
    userId: "guest",
    appId: "till",
    headers: { Trace: "a1", count: 3, ok: true, deep: { inner: ["x", "y"] }, "Content-Type": "a/b" },
  });
  const { batch, text, confirm } = await context.deliveries.next();
  assert.is(text, "one");
  assert.equal(Object.fromEntries(new Map<string, Value>(batch[0]?.metadata)), {
    Trace: "a1",
    count: "3",
    ok: "true",
    deep_inner_0: "x",
    deep_inner_1: "y",
    "Content-Type": "a/b",
    amqp_content_type: "text/plain",
    amqp_content_encoding: "identity",
    amqp_delivery_mode: "2",
    amqp_priority: "4",
    amqp_correlation_id: "c1",
    amqp_reply_to: "answers",
    amqp_expiration: "60000",
    amqp_message_id: "m1",
    amqp_timestamp: "1700000000",
    amqp_type: "order",
    amqp_user_id: "guest",
    amqp_app_id: "till",
    amqp_consumer_tag: "shop",
    amqp_delivery_tag: "1",
    amqp_redelivered: "false",
    amqp_exchange: "",
    amqp_routing_key: queue,
  });
  confirm();
  await input.close();
  await input.close();
  assert.is(await counted(queue), 0);
});

/** Returns a table that is nested `depth` levels deep. */
function nested(depth: number, name: string, leaf: unknown): unknown {
  return depth === 0 ? leaf : { [name]: nested(depth - 1, name, leaf) };
}

test("hostile headers neither crash the process nor exhaust its memory", async () => {
  const queue = await newQueue();
  const context = inputContext();
  const input = amqp09Input({ urls, queue, prefetch_count: 50 });
  await input.start(context);
  const timestamp = (value: unknown) => ({ "!": "timestamp", value });
  // The client encodes this as a table, because the type names are not those that it knows for times and decimals.
  const posed = (type: string, value: unknown) => ({ "!": "object", value: { "!": type, value } });
  const wide = Object.fromEntries(Array.from({ length: 3_500 }, (_, at) => [`${at}`, true]));
  const hostile: readonly Readonly<Record<string, unknown>>[] = [
    ...[0, 253_402_300_800, 2 ** 53, 2 ** 63].map((time) => ({ a: timestamp(time) })),
    ...["x", {}, true, 0.5].map((value) => ({ a: posed("timestamp", value) })),
    ...["x", {}, { digits: 1, places: 500_000_000 }, { digits: "1", places: -1 }].map((value) => ({
      a: posed("decimal", value),
    })),
    { a: posed("other", { toString: 1, valueOf: 2 }), toString: 1, constructor: { prototype: { x: 1 } } },
    { a: nested(300, "n", "deep") },
    { a: nested(100, "n".repeat(250), wide) },
    { a: Buffer.of(0xff, 0xfe, 0), "b\r\nc: d": "e\r\nf: g", "": "", "\ud800": "\ud800" },
  ];
  for (const headers of hostile) channel.sendToQueue(queue, Buffer.from("hostile"), { headers });
  channel.sendToQueue(queue, Buffer.from("last"), { headers: { a: timestamp(253_402_300_800) } });
  const deliveries = await context.deliveries.take(hostile.length + 1);
  const last = deliveries.at(-1);
  assert.is(last?.text, "last");
  assert.is(last?.batch[0]?.metadata.get("a"), "10000-01-01T00:00:00Z");
  for (const { batch } of deliveries) {
    const { length } = [...new Map<string, Value>(batch[0]?.metadata)].flat().join("");
    assert.ok(length < 200_000, `${length} characters of metadata`);
  }
  for (const { confirm } of deliveries) confirm();
  await input.close();
  assert.is(await counted(queue), 0);
});

test("each of several workers has its own consumer tag", async () => {
  const queue = await newQueue();
  const tagOf = async (worker: string | undefined) => {
    const before = { ...process.env };
    if (worker !== undefined) Object.assign(process.env, { GW_WORKER: worker, GW_WORKER_SOCKET: "unused" });
    const context = inputContext();
    const input = amqp09Input({ urls, queue, consumer_tag: "shop" });
    await input.start(context).finally(() => {
      process.env = before;
    });
    await send(queue, "one");
    const { batch, confirm } = await context.deliveries.next();
    confirm();
    await input.close();
    return batch[0]?.metadata.get("amqp_consumer_tag");
  };
  assert.equal([await tagOf(undefined), await tagOf("0"), await tagOf("2")], ["shop", "shop", "shop-2"]);
});

test("unacknowledged messages return to the queue when the input closes", async () => {
  const queue = await newQueue();
  const context = inputContext();
  const input = amqp09Input({ urls, queue });
  await input.start(context);
  await send(queue, "one", "two");
  const [one, two] = await context.deliveries.take(2);
  const closed = input.close();
  one?.confirm();
  two?.refuse(new GatewayError(502, "not now"));
  await closed;
  assert.is(await counted(queue), 1);
  const left = await channel.get(queue, { noAck: true });
  assert.is(left === false ? "" : left.content.toString(), "two");
});

test("messages are acknowledged individually, in any order", async () => {
  const queue = await newQueue();
  const context = inputContext();
  const input = amqp09Input({ urls, queue, prefetch_count: 2 });
  await input.start(context);
  await send(queue, "1", "2", "3", "4");
  const [, second] = await context.deliveries.take(2);
  assert.is(context.deliveries.all.length, 2); // the broker waits for the first two
  second?.confirm();
  assert.is((await context.deliveries.next()).text, "3");
  assert.is(context.deliveries.all.length, 3);
  for (const { confirm } of context.deliveries.all) confirm();
  (await context.deliveries.next()).confirm();
  await input.close();
  assert.is(await counted(queue), 0);
});

test("a rejected message is redelivered after a pause, and counts as blocked until it is delivered", async () => {
  const queue = await newQueue();
  const context = inputContext();
  const input = amqp09Input({ urls, queue });
  await input.start(context);
  await send(queue, "bad", "good");
  const [bad, good] = await context.deliveries.take(2);
  good?.confirm();
  bad?.refuse(new GatewayError(502, "not now"));
  const again = await context.deliveries.next();
  assert.is(again.text, "bad");
  assert.is(again.batch[0]?.metadata.get("amqp_redelivered"), "true");
  assert.equal(context.blocked, [true]);
  again.confirm();
  await until(() => context.blocked.length === 2);
  assert.equal(context.blocked, [true, false]);
  await input.close();
});

test("the pauses between redeliveries of a failing message grow", async () => {
  const queue = await newQueue();
  const context = inputContext();
  const input = amqp09Input({ urls, queue });
  await input.start(context);
  await send(queue, "bad");
  const started: number[] = [];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const { refuse } = await context.deliveries.next();
    started.push(performance.now());
    refuse(new GatewayError(502, "never"));
  }
  const waits = started.slice(1).map((time, index) => time - (started[index] ?? 0));
  // Each pause is at least half of its step: 200, 400 and 800 ms.
  for (const [index, wait] of waits.entries()) assert.ok(wait >= 100 * 2 ** index - 5, `${index}: ${wait}`);
  await input.close();
});

test("a message is given up after the stream's maximum of attempts", async () => {
  const queue = await newQueue();
  const givenUp: string[] = [];
  const context = {
    ...inputContext(),
    maxAttempts: 2,
    giveUp: async (_: unknown, failure: GatewayError) => void givenUp.push(failure.message),
  };
  const input = amqp09Input({ urls, queue });
  await input.start(context);
  await send(queue, "bad");
  for (const reason of ["first", "second"]) {
    (await context.deliveries.next()).refuse(new GatewayError(502, reason));
  }
  await until(() => givenUp.length > 0);
  await input.close();
  assert.equal(givenUp, ["second"]);
  assert.is(await counted(queue), 0);
});

test("a failure that matches a pattern sends the message to the dead letter queue", async () => {
  const dead = await newQueue();
  const queue = await newQueue({ deadLetterExchange: "", deadLetterRoutingKey: dead });
  const context = inputContext();
  const input = rejectingAmqp09Input({ urls, queue, nack_reject_patterns: ["^never$", "^reject me: .+$"] });
  await input.start(context);
  await send(queue, "bad", "slow");
  const [bad, slow] = await context.deliveries.take(2);
  bad?.refuse(new GatewayError(502, "reject me: it is bad"));
  slow?.refuse(new GatewayError(502, "do not reject me: it is slow"));
  const letters = await reader(dead);
  const letter = await letters.next();
  assert.is(letter.content.toString(), "bad");
  assert.is(letter.properties.headers?.["x-death"]?.[0]?.reason, "rejected");
  const again = await context.deliveries.next();
  assert.is(again.text, "slow");
  again.confirm();
  await input.close();
  assert.equal(
    letters.all.map(({ content }) => content.toString()),
    ["bad"],
  );
});

test("auto_ack acknowledges before the delivery, and still respects the prefetch limit", async () => {
  const queue = await newQueue();
  const context = inputContext();
  const input = amqp09Input({ urls, queue, auto_ack: true, prefetch_count: 2 });
  await input.start(context);
  await send(queue, "1", "2", "3", "4", "5", "6");
  await context.deliveries.take(2);
  // Two messages are acknowledged, two are in flight, and the broker still has the rest.
  await until(async () => (await counted(queue)) === 2);
  assert.is(context.deliveries.all.length, 2);
  context.deliveries.all[0]?.refuse(new GatewayError(502, "not now"));
  const again = await context.deliveries.next();
  assert.is(again.text, "1"); // only the input holds it
  again.confirm();
  context.deliveries.all[1]?.confirm();
  for (let left = 4; left > 0; left -= 1) (await context.deliveries.next()).confirm();
  await input.close();
  await emptied(queue);
});

test("missing queues and bindings are declared as configured", async () => {
  const exchange = unique("shop");
  const queue = unique("made");
  await channel.assertExchange(exchange, "topic", { durable: false, autoDelete: true });
  const options = {
    urls,
    queue,
    queue_declare: { enabled: true, durable: false, auto_delete: true },
    bindings_declare: [
      { exchange, key: "orders.#" },
      { exchange, key: "returns" },
    ],
  };
  const context = inputContext();
  const input = amqp09Input(options);
  await input.start(context);
  for (const key of ["orders.new.today", "other", "returns"])
    channel.publish(exchange, key, Buffer.from(key));
  const [first, second] = await context.deliveries.take(2);
  assert.equal([first?.text, second?.text], ["orders.new.today", "returns"]);
  first?.confirm();
  second?.confirm();
  // The queue is not durable, so the broker refuses a different declaration while the queue exists.
  const other = amqp09Input({ ...options, queue_declare: { enabled: true } });
  assert.is(
    await reasonOf(other.start(inputContext())),
    "RabbitMQ refused to declare the queue (406 PRECONDITION_FAILED)",
  );
  await other.close();
  await input.close();
  const late = amqp09Input({ urls, queue });
  assert.is(await reasonOf(late.start(inputContext())), "RabbitMQ refused to read the queue (404 NOT_FOUND)");
  await late.close();
  const durable = amqp09Input({ urls, queue, queue_declare: { enabled: true } });
  await durable.start(inputContext());
  await durable.close();
  assert.is((await channel.checkQueue(queue)).consumerCount, 0); // it stays when its last reader leaves
  const bound = amqp09Input({ urls, queue, bindings_declare: [{ exchange: unique("none"), key: "a" }] });
  assert.is(
    await reasonOf(bound.start(inputContext())),
    "RabbitMQ refused to bind the queue (404 NOT_FOUND)",
  );
  await bound.close();
});

test("a deleted queue is consumed again once it exists again", async () => {
  const queue = await newQueue();
  const context = inputContext();
  const reported: (string | undefined)[] = [];
  const input = amqp09Input({ urls, queue });
  await input.start({ ...context, beginOutage: outagesInto(reported) });
  await channel.deleteQueue(queue);
  await until(() => context.lines.find(({ message }) => message.includes("unavailable, retrying")));
  assert.equal(reported, ["the connection to RabbitMQ is lost"]);
  await channel.assertQueue(queue);
  await send(queue, "late");
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "late");
  await until(() => reported.length === 2, { what: "the end of the outage" });
  assert.equal(reported, ["the connection to RabbitMQ is lost", undefined]);
  confirm();
  await input.close();
  assert.is(await counted(queue), 0);
});

test("batches of more messages than prefetch_count are delivered with as many as the broker sends", async () => {
  const queue = await newQueue();
  const context = inputContext();
  const input = inputWithBatching(amqp09Input({ urls, queue, prefetch_count: 3 }), { count: 10 });
  await input.start(context);
  await send(queue, "a", "b", "c", "d", "e", "f");
  for (const expected of ["a b c", "d e f"]) {
    const { text, confirm } = await context.deliveries.next();
    assert.is(text, expected);
    confirm();
  }
  await input.close();
  await emptied(queue);
});

test.run();
