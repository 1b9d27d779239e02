// Messages over which RabbitMQ closes the channel, among others that it accepts.

import { connect } from "amqplib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import type { Amqp09OutputOptions } from "../../../runtime/connectors/amqp-0-9/generated/output-options.ts";
import { amqp09Output } from "../../../runtime/connectors/amqp-0-9/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Batch } from "../../../runtime/message/message.ts";
import { startRabbitmq } from "../../harness/brokers/rabbitmq.ts";
import { until } from "../../harness/wait.ts";
import { reasonOf } from "./amqp-peer.ts";
import { batchOf, componentContext, textOfBatch } from "./contexts.ts";

const test = suite("refused messages of amqp_0_9");
const broker = await startRabbitmq();
await broker.control("add_user", "me", "pw");
await broker.control(
  "set_permissions",
  "-p",
  "/",
  "me",
  "^$",
  "^(allowed|topics|internal|amq\\.default)$",
  "^$",
);
await broker.control("set_topic_permissions", "-p", "/", "me", "topics", "^good", ".*");
const urls = [broker.address.replace("//", "//me:pw@")];
const peer = await connect(broker.address);
const channel = await peer.createChannel();
for (const exchange of ["allowed", "denied"]) await channel.assertExchange(exchange, "fanout");
await channel.assertExchange("internal", "fanout", { internal: true });
await channel.assertExchange("topics", "topic");
const { queue } = await channel.assertQueue("arrived");
await channel.bindQueue(queue, "allowed", "");
await channel.bindQueue(queue, "topics", "#");
test.after(async () => {
  await peer.close();
  await broker.stop();
});

const notAllowed = "RabbitMQ does not allow the exchange or key (403 ACCESS_REFUSED)";
const well = "it went well";

/** Each message is `TARGET/CONTENT`, or the target alone. */
const target = (batch: Batch, index: number) =>
  textOfBatch(batch.slice(index, index + 1)).split("/")[0] ?? "";

async function open(options: Pick<Amqp09OutputOptions, "exchange" | "key" | "exchange_declare">) {
  const output = amqp09Output({ urls, persistent: true, ...options });
  const outages: string[] = [];
  const context = componentContext();
  await output.start({
    ...context,
    beginOutage: (reason) => {
      outages.push(reason);
      return () => undefined;
    },
  });
  return { output, outages, lines: context.lines };
}

/** Returns the contents that arrived, each at its first arrival, and how often one arrived at most. */
async function arrived() {
  const counts = new Map<string, number>();
  for (
    let got = await channel.get(queue, { noAck: true });
    got;
    got = await channel.get(queue, { noAck: true })
  ) {
    const text = String(got.content);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return { texts: [...counts.keys()], most: Math.max(...counts.values()) };
}

for (const { name, options, good, bad } of [
  { name: "an exchange", options: { exchange: target, key: "k" }, good: ["allowed"], bad: ["denied"] },
  {
    name: "an internal exchange",
    options: { exchange: target, key: "k" },
    good: ["allowed"],
    bad: ["internal"],
  },
  {
    name: "a key",
    options: { exchange: "topics", key: target },
    good: ["good.1", "good.2", `good.${"x".repeat(240)}`],
    // RabbitMQ cuts its text: these look the same in it.
    bad: ["bad", `bad.${"y".repeat(240)}1`, `bad.${"y".repeat(240)}2`],
  },
]) {
  test(`messages to ${name} without right fail alone, and the others arrive once more at most, in order`, async () => {
    const { output, outages, lines } = await open(options);
    for (let round = 0; round < 3; round += 1) {
      const texts = Array.from({ length: 50 }, (_, index) => {
        const targets = index % 10 === 3 ? bad : good;
        return `${targets[(index + round) % targets.length]}/${index}`;
      });
      const outcomes = await Promise.all(texts.map((text) => reasonOf(output.write(batchOf(text)))));
      const isGood = (text: string) => good.includes(text.split("/")[0] ?? "");
      assert.equal(
        outcomes,
        texts.map((text) => (isGood(text) ? well : notAllowed)),
      );
      const { texts: came, most } = await arrived();
      assert.equal(came, texts.filter(isGood));
      assert.ok(most <= 2, `one arrived ${most} times`);
    }
    assert.equal(outages, []);
    for (const { level, message } of lines.filter((line) => line.level === "warn"))
      assert.equal([level, message], ["warn", "RabbitMQ closed the channel over a message"]);
    await output.close();
  });
}

test("of a write, those messages fail for good that are refused, and the others are delivered", async () => {
  const { output } = await open({ exchange: target, key: "k" });
  const batch = batchOf("allowed/1", "denied/2", "allowed/3", "internal/4", "denied/5");
  const failure = await output.write(batch).catch((error: unknown) => error);
  if (!(failure instanceof UnfitMessages)) throw failure;
  assert.equal([...failure.failures.keys()], [batch[1], batch[3], batch[4]]);
  assert.ok(failure.othersDelivered);
  assert.equal([failure.status, failure.retryable], [502, false]);
  assert.equal((await arrived()).texts, ["allowed/1", "allowed/3"]);
  await output.close();
});

test("messages to an exchange that cannot be declared fail for good, and the others are delivered", async () => {
  const exchange_declare = { enabled: true, type: "fanout", durable: true } as const;
  await broker.control("set_permissions", "-p", "/", "me", "^(allowed|topics)$", "^(allowed|topics)$", "^$");
  const { output, outages } = await open({ exchange: target, key: "k", exchange_declare });
  // No right to declare it, and an exchange of another type.
  const bad = ["unknown", "topics"];
  const batch = batchOf("allowed/1", ...bad.map((name) => `${name}/2`), "allowed/3", "unknown/4");
  const failure = await output.write(batch).catch((error: unknown) => error);
  if (!(failure instanceof UnfitMessages)) throw failure;
  assert.equal([...failure.failures.keys()].map((message) => batch.indexOf(message)).toSorted(), [1, 2, 4]);
  assert.equal(
    new Set([...failure.failures.values()].map(({ message }) => message)),
    new Set([
      "RabbitMQ refused to declare the exchange (403 ACCESS_REFUSED)",
      "RabbitMQ refused to declare the exchange (406 PRECONDITION_FAILED)",
    ]),
  );
  assert.ok(failure.othersDelivered);
  assert.equal((await arrived()).texts, ["allowed/1", "allowed/3"]);
  assert.equal(outages, []);
  await output.close();
  await broker.control(
    ...["set_permissions", "-p", "/", "me", "^$", "^(allowed|topics|internal|amq\\.default)$", "^$"],
  );
});

test("messages to an exchange of a type that RabbitMQ does not know fail for good", async () => {
  const exchange_declare = { enabled: true, type: "x-custom", durable: true } as const;
  const { output } = await open({ exchange: target, key: "k", exchange_declare });
  const failure = await output.write(batchOf("allowed/1")).catch((error: unknown) => error);
  if (!(failure instanceof UnfitMessages)) throw failure;
  assert.is(failure.message, "RabbitMQ refused to declare the exchange (503 COMMAND_INVALID)");
  await output.close();
});

test("an exchange that is deleted fails the messages to it, which are retried", async () => {
  const { output, outages } = await open({ exchange: (batch, index) => `${target(batch, index)}`, key: "k" });
  await broker.control("set_permissions", "-p", "/", "me", "^$", ".*", "^$");
  await channel.assertExchange("passing", "fanout");
  await output.write(batchOf("passing"));
  await channel.deleteExchange("passing");
  const write = (...texts: string[]) =>
    Promise.all(texts.map((text) => reasonOf(output.write(batchOf(text)))));
  const missing = "RabbitMQ refused the exchange (404 NOT_FOUND)";
  assert.equal(await write("allowed/1", "passing", "allowed/2"), [well, missing, well]);
  assert.equal(await write("passing"), [missing]);
  await channel.assertExchange("passing", "fanout");
  assert.equal(await write("passing"), [well]);
  await broker.control(
    ...["set_permissions", "-p", "/", "me", "^$", "^(allowed|topics|internal|amq\\.default)$", "^$"],
  );
  assert.equal((await arrived()).texts, ["allowed/1", "allowed/2"]);
  assert.equal(outages, []);
  await output.close();
});

test("an exchange of the document without right is an outage, and its messages are retried", async () => {
  const { output, outages } = await open({ exchange: "denied", key: target });
  const failure = await output.write(batchOf("any")).catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  assert.not.instance(failure, UnfitMessages);
  await until(() => outages.length > 0);
  await output.close();
});

test("messages that wait for a channel fail when the connection is lost", async () => {
  const { output } = await open({ exchange: target, key: "k" });
  const writes = Array.from({ length: 40 }, (_, index) =>
    reasonOf(output.write(batchOf(index % 4 === 0 ? `denied/${index}` : `allowed/${index}`))),
  );
  await broker.control("close_all_user_connections", "me", "test");
  const outcomes = await Promise.all(writes);
  assert.is(outcomes.length, 40); // each has one, whatever the moment
  await output.close();
});

test("the default exchange stays known after more exchanges than are remembered", async () => {
  const output = amqp09Output({
    urls: [broker.address],
    exchange: target,
    exchange_declare: { enabled: true, durable: false },
    key: queue,
  });
  await output.start(componentContext());
  await output.write(batchOf(...Array.from({ length: 10_001 }, (_, number) => `one-of-many-${number}`)));
  assert.is(await reasonOf(output.write(batchOf("/default"))), well);
  await output.close();
});

test.run();
