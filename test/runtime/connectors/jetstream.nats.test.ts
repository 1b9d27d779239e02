import { randomUUID } from "node:crypto";
import { AckPolicy, jetstreamManager, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { connect, headers, nanos } from "@nats-io/transport-node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { natsJetstreamInput } from "../../../runtime/connectors/nats/jetstream/input.ts";
import {
  filteredNatsJetstreamOutput,
  natsJetstreamOutput,
} from "../../../runtime/connectors/nats/jetstream/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { inputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { startNats } from "../../harness/brokers/nats.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";
import { jetstreamPeer } from "./jetstream-peer.ts";

const test = suite("nats_jetstream");
const { urls, peer, manager, client, newStream, pendingAcks, close } = await jetstreamPeer();
test.after(close);

async function publish(subject: string, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await client.publish(subject, text);
}

const reasonOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "it went well",
    (error: unknown) => (error instanceof GatewayError ? error.message : `unknown: ${String(error)}`),
  );

test("a message is acknowledged once it is delivered, and carries its position", async () => {
  const stream = await newStream();
  const context = inputContext();
  const input = natsJetstreamInput({ urls, stream, durable: "d" });
  await input.start(context);
  const given = headers();
  given.set("Trace", "a1");
  await client.publish(`${stream}.a`, "one", { headers: given });
  const { batch, text, confirm } = await context.deliveries.next();
  assert.is(text, "one");
  const metadata = new Map<string, Value>(batch[0]?.metadata);
  const time = metadata.get("nats_timestamp_unix_nano");
  const stored = await manager.streams.getMessage(stream, { seq: 1 });
  assert.is(BigInt(String(time)) / 1_000_000n, BigInt(stored?.time.getTime() ?? 0));
  metadata.delete("nats_timestamp_unix_nano");
  assert.equal(Object.fromEntries(metadata), {
    Trace: "a1",
    nats_subject: `${stream}.a`,
    nats_sequence_stream: "1",
    nats_sequence_consumer: "1",
    nats_num_delivered: "1",
    nats_num_pending: "0",
  });
  await pendingAcks(stream, "d", 1);
  confirm();
  await pendingAcks(stream, "d", 0);
  await input.close();
  await input.close();
});

test("lag is the number of pending messages of the consumer and those in flight", async () => {
  const stream = await newStream();
  await publish(`${stream}.a`, "1", "2", "3");
  const context = inputContext();
  const input = natsJetstreamInput({ urls, stream, durable: "d", max_ack_pending: 1 });
  await input.start(context);
  for (let left = 3; left > 0; left -= 1) {
    const { confirm } = await context.deliveries.next();
    assert.is(input.lag?.(), left);
    confirm();
  }
  await until(() => input.lag?.() === 0);
  await input.close();
});

test("a rejected message is redelivered later, and counts as blocked until then", async () => {
  const stream = await newStream();
  const context = inputContext();
  const input = natsJetstreamInput({ urls, subject: `${stream}.>`, durable: "d" });
  await input.start(context);
  await publish(`${stream}.a`, "bad", "good");
  const [bad, good] = await context.deliveries.take(2);
  good?.confirm();
  bad?.refuse(new GatewayError(502, "not now"));
  const again = await context.deliveries.next();
  assert.is(again.text, "bad");
  assert.is(again.batch[0]?.metadata.get("nats_num_delivered"), "2");
  assert.equal(context.blocked, [true]);
  again.confirm();
  await until(() => context.blocked.length === 2);
  assert.equal(context.blocked, [true, false]);
  await pendingAcks(stream, "d", 0);
  await input.close();
});

test("a message is given up after the stream's maximum of attempts", async () => {
  const stream = await newStream();
  const givenUp: string[] = [];
  const context = {
    ...inputContext(),
    maxAttempts: 2,
    giveUp: async (_: unknown, failure: GatewayError) => void givenUp.push(failure.message),
  };
  const input = natsJetstreamInput({ urls, stream, durable: "d" });
  await input.start(context);
  await publish(`${stream}.a`, "bad");
  for (const reason of ["first", "second"]) {
    (await context.deliveries.next()).refuse(new GatewayError(502, reason));
  }
  await pendingAcks(stream, "d", 0);
  assert.equal(givenUp, ["second"]);
  await input.close();
});

test("with one message in flight, order is kept while one is rejected", async () => {
  const stream = await newStream();
  const context = inputContext();
  const input = natsJetstreamInput({ urls, stream, durable: "d", max_ack_pending: 1 });
  await input.start(context);
  await publish(`${stream}.a`, "1", "2", "3");
  const seen: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const { text, confirm, refuse } = await context.deliveries.next();
    seen.push(text);
    if (turn === 1 || turn === 2) refuse(new GatewayError(502, "not now"));
    else confirm();
  }
  assert.equal(seen, ["1", "2", "2", "2", "3"]);
  await input.close();
});

test("no more than max_ack_pending messages are in flight", async () => {
  const stream = await newStream();
  await publish(`${stream}.a`, ...Array.from({ length: 20 }, (_, index) => String(index)));
  const context = inputContext();
  const input = natsJetstreamInput({ urls, stream, durable: "d", max_ack_pending: 3 });
  await input.start(context);
  let most = 0;
  for (let done = 0; done < 20; done += 1) {
    const { confirm } = await context.deliveries.next();
    await peer.flush();
    most = Math.max(most, context.deliveries.all.length - done);
    confirm();
  }
  assert.is(most, 3);
  assert.is((await manager.consumers.info(stream, "d")).config.max_ack_pending, 3);
  await input.close();
});

test("batches of more messages than max_ack_pending are delivered with as many as the server sends", async () => {
  const stream = await newStream();
  await publish(`${stream}.a`, "a", "b", "c", "d", "e", "f");
  const context = inputContext();
  const options = { urls, stream, durable: "d", max_ack_pending: 3 };
  const input = inputWithBatching(natsJetstreamInput(options), { count: 10 });
  await input.start(context);
  for (const expected of ["a b c", "d e f"]) {
    const { text, confirm } = await context.deliveries.next();
    assert.is(text, expected);
    confirm();
  }
  await input.close();
});

test("a delivery that takes longer than ack_wait is not redelivered", async () => {
  const stream = await newStream();
  const context = inputContext();
  const ack_wait = 3_000; // progress is signalled several times in it, even by a busy process
  const input = natsJetstreamInput({ urls, stream, durable: "d", ack_wait, max_ack_pending: 1 });
  await input.start(context);
  await publish(`${stream}.a`, "slow", "next");
  const slow = await context.deliveries.next();
  // By the time a message that was delivered later has timed out without progress signals, the server would have
  // redelivered this one.
  const other = await manager.consumers.add(stream, {
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ack_wait),
    durable_name: "control",
  });
  await until(async () => {
    const messages = await (await client.consumers.get(stream, other.name)).fetch({
      max_messages: 1,
      expires: 1000,
    });
    for await (const { info } of messages) if (info.deliveryCount > 1) return true;
    return false;
  });
  slow.confirm();
  const next = await context.deliveries.next();
  next.confirm();
  assert.is(next.text, "next");
  assert.is(next.batch[0]?.metadata.get("nats_sequence_consumer"), "2");
  await input.close();
});

test("a durable consumer resumes where it was; its readers share the messages, as in a queue group", async () => {
  for (const name of [{ durable: "d" }, { queue: "d" }]) {
    const stream = await newStream();
    await publish(`${stream}.a`, "1", "2");
    const first = inputContext();
    const before = natsJetstreamInput({ urls, stream, ...name });
    await before.start(first);
    const [one, two] = await first.deliveries.take(2);
    one?.confirm();
    const closing = before.close();
    two?.refuse(new GatewayError(503, "closing"));
    await closing;
    const contexts = [inputContext(), inputContext()];
    const inputs = contexts.map(() => natsJetstreamInput({ urls, stream, ...name }));
    await Promise.all(inputs.map((input, index) => input.start(contexts[index] ?? first)));
    await publish(`${stream}.a`, "3", "4", "5");
    const all = () => contexts.flatMap(({ deliveries }) => deliveries.all.map(({ text }) => text));
    await until(() => all().length === 4);
    for (const { deliveries } of contexts) for (const { confirm } of deliveries.all) confirm();
    assert.equal(all().sort(), ["2", "3", "4", "5"]);
    await pendingAcks(stream, "d", 0);
    await Promise.all(inputs.map((input) => input.close()));
  }
});

test("a new consumer starts where `deliver` says", async () => {
  const stream = await newStream();
  await publish(`${stream}.a`, "a1", "a2");
  await publish(`${stream}.b`, "b1");
  const expected = {
    all: ["a1", "a2", "b1", "later"],
    last: ["b1", "later"],
    last_per_subject: ["a2", "b1"],
    new: [],
  };
  for (const deliver of ["all", "last", "last_per_subject"] as const) {
    const context = inputContext();
    const input = natsJetstreamInput({ urls, stream, deliver });
    await input.start(context);
    const wanted = expected[deliver].filter((text) => text !== "later");
    const taken = await context.deliveries.take(wanted.length);
    assert.equal(
      taken.map(({ text }) => text),
      wanted,
      deliver,
    );
    for (const { confirm } of taken) confirm();
    await input.close();
  }
  const context = inputContext();
  const input = natsJetstreamInput({ urls, stream, deliver: "new" });
  await input.start(context);
  await publish(`${stream}.c`, "later");
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "later");
  confirm();
  await input.close();
});

test("a consumer without a name ends with its reader, and only `subject` is read", async () => {
  const stream = await newStream();
  await publish(`${stream}.a.x`, "no");
  await publish(`${stream}.b.x`, "yes");
  const context = inputContext();
  const input = natsJetstreamInput({ urls, subject: `${stream}.b.*` });
  await input.start(context);
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "yes");
  confirm();
  assert.is((await manager.consumers.list(stream).next()).length, 1);
  await input.close();
  assert.is((await manager.consumers.list(stream).next()).length, 0);
  assert.is(context.deliveries.all.length, 1);
});

test("a bound consumer is used unchanged", async () => {
  const stream = await newStream();
  const config = { ack_policy: AckPolicy.Explicit, durable_name: "theirs", max_ack_pending: 7, max_batch: 2 };
  await manager.consumers.add(stream, config);
  await publish(`${stream}.a`, "1", "2", "3");
  const context = inputContext();
  const input = natsJetstreamInput({ urls, stream, durable: "theirs", bind: true });
  await input.start(context);
  for (const { confirm } of await context.deliveries.take(3)) confirm();
  await pendingAcks(stream, "theirs", 0);
  assert.is((await manager.consumers.info(stream, "theirs")).config.max_ack_pending, 7);
  await input.close();
});

test("unsuitable streams and consumers are reported at the start", async () => {
  const stream = await newStream();
  const explicit = {
    ack_policy: AckPolicy.Explicit,
    durable_name: "filtered",
    filter_subject: `${stream}.x`,
  };
  await manager.consumers.add(stream, explicit);
  await manager.consumers.add(stream, { ack_policy: AckPolicy.None, durable_name: "careless" });
  const push = { ack_policy: AckPolicy.Explicit, durable_name: "push", deliver_subject: randomUUID() };
  await manager.consumers.add(stream, push);
  const cases = [
    [{ stream: "MISSING" }, "The stream MISSING does not exist"],
    [{ subject: "orders.uncaptured" }, "No stream captures the subject orders.uncaptured"],
    [{}, "nats_jetstream takes `stream` or `subject`, or both"],
    [{ stream, bind: true }, "nats_jetstream: `bind` takes `stream` and `durable`"],
    [{ stream, durable: "none", bind: true }, `The stream ${stream} has no consumer none`],
    [
      { stream, durable: "push" },
      `The consumer push of the stream ${stream} is a push consumer; only pull consumers can be read`,
    ],
    [
      { stream, durable: "careless" },
      `The consumer careless of the stream ${stream} does not require explicit acknowledgements, so messages could be lost`,
    ],
    [
      { stream, durable: "filtered", subject: `${stream}.y` },
      `The consumer filtered of the stream ${stream} reads other subjects than ${stream}.y`,
    ],
  ] as const;
  for (const [options, message] of cases) {
    const input = natsJetstreamInput({ urls, ...options });
    assert.is(await reasonOf(input.start(inputContext())), message);
    await input.close();
  }
});

test("an output waits for the stream, keeps order, and reports a subject that no stream accepts", async () => {
  const stream = await newStream();
  const output = filteredNatsJetstreamOutput({
    urls,
    subject: (batch, index) => String(batch[index]?.metadata.get("to") ?? `${stream}.a`),
    headers: { "Nats-Msg-Id": (batch, index) => Buffer.from(batch[index]?.bytes() ?? []).toString() },
    metadata: { include_prefixes: ["x-"], include_patterns: ["(?i)^TRACE$"] },
    max_in_flight: 2,
  });
  await output.start(componentContext());
  const texts = Array.from({ length: 50 }, (_, index) => `m${index}`);
  await Promise.all(texts.map((text) => output.write(batchOf(text))));
  await output.write(batchOf("m3", "last"));
  const { state } = await manager.streams.info(stream);
  assert.is(state.messages, 51, "a message id that was seen before is not stored again");
  const stored = [];
  for (let seq = 1; seq <= 51; seq += 1) {
    stored.push((await manager.streams.getMessage(stream, { seq }))?.string());
  }
  assert.equal(stored, [...texts, "last"]);
  const [plain] = batchOf("with metadata");
  const metadata = new Map<string, Value>([
    ["x-a", 1],
    ["trace", "t"],
    ["y", "no"],
  ]);
  await output.write(plain === undefined ? [] : [plain.withMetadata(metadata)]);
  const header = (await manager.streams.getMessage(stream, { seq: 52 }))?.header;
  assert.equal([header?.get("x-a"), header?.get("trace"), header?.get("y")], ["1", "t", ""]);
  const [lost] = batchOf("lost");
  const nowhere = lost === undefined ? [] : [lost.withMetadata(new Map([["to", "no.stream"]]))];
  assert.is(await reasonOf(output.write(nowhere)), "No JetStream stream captures this subject");
  const [broken] = batchOf("broken");
  const twoLines = broken === undefined ? [] : [broken.withMetadata(new Map([["x-two", "a\r\nb"]]))];
  assert.is(
    await reasonOf(output.write(twoLines)),
    "The computed `headers.x-two` is not the value of a header",
  );
  await output.close();
  await output.close();
});

test("a message that the stream rejects fails the write", async () => {
  const name = `T${randomUUID().replaceAll("-", "")}`;
  await manager.streams.add({ name, subjects: [name], max_msg_size: 5, retention: RetentionPolicy.Limits });
  const output = natsJetstreamOutput({ urls, subject: name });
  await output.start(componentContext());
  await output.write(batchOf("small"));
  assert.match(await reasonOf(output.write(batchOf("too large"))), /^JetStream rejects the message/);
  await output.close();
});

test("a message of the server's maximum size is sent, and one that is a byte larger is rejected", async () => {
  const stream = await newStream();
  const output = natsJetstreamOutput({ urls, subject: `${stream}.a` });
  await output.start(componentContext());
  const largest = peer.info?.max_payload ?? 0;
  await output.write(batchOf("x".repeat(largest)));
  assert.match(await reasonOf(output.write(batchOf("x".repeat(largest + 1)))), /^The message is larger than/);
  await output.close();
});

test("a deleted consumer is created again, and no message is skipped", async () => {
  for (const name of [{}, { durable: "d" }]) {
    const stream = await newStream();
    await publish(`${stream}.a`, "1", "2");
    const context = inputContext();
    const input = natsJetstreamInput({ urls, stream, ...name, deliver: "all" });
    await input.start(context);
    const [one, two] = await context.deliveries.take(2);
    one?.confirm();
    const [consumer] = await manager.consumers.list(stream).next();
    await pendingAcks(stream, consumer?.name ?? "", 1);
    await manager.consumers.delete(stream, consumer?.name ?? "");
    await publish(`${stream}.a`, "3");
    const three = await context.deliveries.next();
    assert.is(three.text, "3");
    two?.confirm();
    three.confirm();
    await until(async () => {
      const [now] = await manager.consumers.list(stream).next();
      return now?.num_ack_pending === 0 && now.num_pending === 0;
    });
    assert.is(context.deliveries.all.length, 3);
    await input.close();
  }
});

test("a stream that is created again is read from its first message", async () => {
  for (const name of [{}, { durable: "d" }]) {
    const stream = await newStream();
    await publish(`${stream}.a`, "1", "2");
    const context = inputContext();
    const input = natsJetstreamInput({ urls, stream, ...name, deliver: "all" });
    await input.start(context);
    const [one, two] = await context.deliveries.take(2);
    one?.confirm();
    await manager.streams.delete(stream);
    two?.confirm();
    await manager.streams.add({ name: stream, subjects: [`${stream}.*`], storage: StorageType.Memory });
    await publish(`${stream}.a`, "3", "4", "5", "6");
    const read = await context.deliveries.take(4);
    assert.equal(
      read.map(({ text }) => text),
      ["3", "4", "5", "6"],
    );
    for (const { confirm } of read) confirm();
    await until(async () => {
      const [now] = await manager.consumers.list(stream).next();
      return now?.num_ack_pending === 0 && now.num_pending === 0;
    });
    await input.close();
  }
});

test("last_per_subject delivers the last message of each subject, also with one message in flight", async () => {
  const stream = await newStream();
  const subjects = Array.from({ length: 12 }, (_, index) => `${stream}.${index}`);
  for (const subject of subjects) await publish(subject, "old", subject);
  for (const name of [{}, { durable: "d" }]) {
    const context = inputContext();
    const options = { urls, stream, ...name, deliver: "last_per_subject", max_ack_pending: 1 } as const;
    const input = natsJetstreamInput(options);
    await input.start(context);
    for (const subject of subjects) {
      const { text, confirm } = await context.deliveries.next();
      assert.is(text, subject);
      confirm();
    }
    await input.close();
  }
});

test("a restart of the server during delivery loses nothing", async () => {
  const place = { port: await freePort(), directory: temporaryDirectory("nats") };
  let server = await startNats(place);
  const own = [server.address];
  const admin = await connect({ servers: server.address, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  await (await jetstreamManager(admin)).streams.add({
    name: "S",
    subjects: ["s.>"],
    storage: StorageType.File,
  });
  const contexts = [inputContext(), inputContext()];
  const inputs = [
    natsJetstreamInput({ urls: own, stream: "S", durable: "d" }),
    natsJetstreamInput({ urls: own, stream: "S" }),
  ];
  const output = natsJetstreamOutput({ urls: own, subject: "s.a" });
  await output.start(componentContext());
  for (const [index, input] of inputs.entries()) await input.start(contexts[index] ?? inputContext());
  await output.write(batchOf("1", "2"));
  const early = await Promise.all(contexts.map(({ deliveries }) => deliveries.take(2)));
  for (const [one] of early) one?.confirm();
  await admin.flush();
  await server.stop();
  const failed = await reasonOf(output.write(batchOf("lost")));
  assert.match(failed, /NATS is not connected|did not store/);
  for (const [, two] of early) two?.confirm(); // the acknowledgement waits for the connection
  server = await startNats(place);
  await until(() => output.write(batchOf("3")).then(() => true));
  for (const { deliveries } of contexts) {
    await until(() => deliveries.all.some(({ text }) => text === "3"));
    for (const { confirm } of deliveries.all) confirm();
  }
  const restored = await jetstreamManager(admin);
  await until(async () => (await restored.consumers.info("S", "d")).num_ack_pending === 0);
  await Promise.all([...inputs.map((input) => input.close()), output.close(), admin.close()]);
  await server.stop();
});

test.run();
