import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, headers } from "@nats-io/transport-node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import { natsInput } from "../../../runtime/connectors/nats/input.ts";
import { natsJetstreamOutput } from "../../../runtime/connectors/nats/jetstream/output.ts";
import { filteredNatsOutput, natsOutput } from "../../../runtime/connectors/nats/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Batch } from "../../../runtime/message/message.ts";
import { startNats } from "../../harness/brokers/nats.ts";
import { nats } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { start } from "../../harness/processes.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, textOfBatch, writeOneByOne } from "./contexts.ts";

const test = suite("nats");
const broker = await nats();
const urls = [broker.address];
const peer = await connect({ servers: broker.address });
/** The limit of requests that are answered. */
const patient = { timeout: 60_000 };
test.after(async () => {
  await peer.close();
  await broker.stop();
});

test("a message and its headers pass from output to input", async () => {
  const subject = `orders.${randomUUID()}`;
  const context = inputContext();
  const input = natsInput({ urls, subject: "orders.*" });
  await input.start(context);
  const output = natsOutput({
    urls,
    subject: (batch, index) => (textOfBatch(batch.slice(index, index + 1)) === "first" ? subject : "other"),
    headers: { Trace: "a1", Content: (batch, index) => textOfBatch(batch.slice(index, index + 1)) },
  });
  await output.start(componentContext());
  await output.write(batchOf("first", "second"));
  const { batch, text, confirm } = await context.deliveries.next();
  confirm();
  assert.is(text, "first");
  assert.equal(Object.fromEntries(batch[0]?.metadata ?? []), {
    Trace: "a1",
    Content: "first",
    nats_subject: subject,
    nats_reply_subject: "",
  });
  await output.close();
  await input.close();
  await input.close();
  assert.is(context.deliveries.all.length, 1);
});

test("members of a queue group share the messages", async () => {
  const subject = randomUUID();
  const contexts = [inputContext(), inputContext()];
  const inputs = contexts.map(() => natsInput({ urls, subject, queue: "workers" }));
  await Promise.all(inputs.map((input, index) => input.start(contexts[index] ?? inputContext())));
  const output = natsOutput({ urls, subject });
  await output.start(componentContext());
  await Promise.all(Array.from({ length: 100 }, (_, index) => output.write(batchOf(String(index)))));
  const all = () => contexts.flatMap(({ deliveries }) => deliveries.all);
  await until(() => all().length === 100);
  assert.ok(contexts.every(({ deliveries }) => deliveries.all.length > 0));
  assert.is(new Set(all().map(({ text }) => text)).size, 100);
  for (const { confirm } of all()) confirm();
  await Promise.all([...inputs.map((input) => input.close()), output.close()]);
});

test("a rejected message is redelivered while later ones continue", async () => {
  const subject = randomUUID();
  const context = inputContext();
  const input = natsInput({ urls, subject });
  await input.start(context);
  peer.publish(subject, "bad");
  peer.publish(subject, "good");
  const [bad, good] = await context.deliveries.take(2);
  bad?.refuse(new GatewayError(502, "not now"));
  good?.confirm();
  const again = await context.deliveries.next();
  assert.is(again.text, "bad");
  assert.equal(context.blocked, [true]);
  again.confirm();
  await until(() => context.blocked.length === 2);
  await input.close();
});

test("a requester gets the stream's reply, or else an acknowledgement", async () => {
  const subject = randomUUID();
  const context = inputContext();
  const input = natsInput({ urls, subject });
  await input.start(context);
  const plain = peer.request(subject, "one");
  (await context.deliveries.next()).confirm();
  assert.is((await plain).string(), "+ACK");
  const answered = peer.request(subject, "two", { ...patient, headers: headers() });
  (await context.deliveries.next()).confirm({ response: batchOf("the answer") });
  assert.is((await answered).string(), "the answer");
  const abandoned = peer.request(subject, "three", patient);
  const { refuse } = await context.deliveries.next();
  const closed = input.close();
  refuse(new GatewayError(502, "no"));
  assert.is((await abandoned).string(), "-NAK");
  await closed;
});

test("without send_ack, a requester gets only the replies of the stream", async () => {
  const subject = randomUUID();
  const context = inputContext();
  const input = natsInput({ urls, subject, send_ack: false });
  await input.start(context);
  const answers: string[] = [];
  const inbox = peer.subscribe(`${subject}.answers`);
  const reading = (async () => {
    for await (const answer of inbox) answers.push(answer.string());
  })();
  for (const text of ["one", "two"]) peer.publish(subject, text, { reply: `${subject}.answers` });
  const [first, second] = await context.deliveries.take(2);
  first?.confirm();
  second?.confirm({ response: batchOf("the answer") });
  await until(() => answers.length === 1, { what: "the answer" });
  await input.close();
  await inbox.drain();
  await reading;
  assert.equal(answers, ["the answer"]);
});

test("without replay, a failed message is given up, and its sender gets a nak with the delay", async () => {
  const subject = randomUUID();
  const givenUp: string[] = [];
  const context = {
    ...inputContext(),
    giveUp: async (batch: Batch) => void givenUp.push(textOfBatch(batch)),
  };
  const input = natsInput({ urls, subject, auto_replay_nacks: false, nak_delay: 2000 });
  await input.start(context);
  const asked = peer.request(subject, "one", patient);
  (await context.deliveries.next()).refuse(new GatewayError(502, "no"));
  assert.is((await asked).string(), '-NAK {"delay":2000000000}');
  const next = peer.request(subject, "two", patient);
  (await context.deliveries.next()).confirm();
  assert.is((await next).string(), "+ACK");
  assert.equal(givenUp, ["one"]);
  assert.equal(context.blocked, [true, false]);
  await input.close();
});

test("messages beyond the buffer are dropped, and the number is logged", async () => {
  const subject = randomUUID();
  const context = inputContext();
  const input = natsInput({ urls, subject, prefetch_count: 2 });
  await input.start(context);
  for (let count = 0; count < 1024 + 2 + 5; count += 1) peer.publish(subject, String(count));
  await peer.flush();
  const dropped = () => context.lines.filter(({ message }) => /messages are dropped/.test(message));
  await until(() => dropped().length > 0);
  for (let confirmed = 0; confirmed < 1024 + 2; confirmed += 1) (await context.deliveries.next()).confirm();
  await until(() => dropped().length === 2);
  assert.equal(
    dropped().map(({ fields }) => fields.count),
    [undefined, 5],
  );
  await input.close();
  assert.is(context.deliveries.all.length, 1024 + 2);
});

test("an output sends the metadata that passes the filter, and limits writes in flight", async () => {
  const subject = randomUUID();
  const messages = peer.subscribe(subject);
  await peer.flush();
  let begun = 0;
  const output = filteredNatsOutput({
    urls,
    subject: () => {
      begun += 1;
      return subject;
    },
    headers: { "x-b": "by the field" },
    metadata: { include_prefixes: ["x-"], include_patterns: ["^(?i)TRACE$"] },
    max_in_flight: 1,
  });
  await output.start(componentContext());
  const metadata = new Map([
    ["x-a", "1"],
    ["x-b", "2"],
    ["Trace", "t"],
    ["y", "no"],
  ]);
  const batch = batchOf("one").map((message) => message.withMetadata(metadata));
  const writes = [output.write(batch), output.write(batch), output.write(batch)];
  assert.is(begun, 1);
  await Promise.all(writes);
  assert.is(begun, 3);
  const each = writeOneByOne(output, [...batch, ...batch]);
  assert.is(begun, 4);
  assert.equal(await each, ["confirmed", "confirmed"]);
  for await (const message of messages) {
    const sent = message.headers?.keys().map((name) => [name, message.headers?.get(name)]) ?? [];
    assert.equal(Object.fromEntries(sent), { "x-a": "1", "x-b": "by the field", Trace: "t" });
    break;
  }
  await output.close();
});

test("headers fail where the server does not support them, and the connection stays open", async () => {
  const server = await startNats({ config: "no_header_support: true" });
  const options = { urls: [server.address], subject: "orders" };
  const writer = componentContext();
  const output = natsOutput({
    ...options,
    headers: { Trace: (batch) => textOfBatch(batch) },
  });
  const plain = natsOutput(options);
  const streamed = natsJetstreamOutput(options);
  for (const each of [output, plain, streamed]) await each.start(writer);
  for (const each of [output, streamed]) {
    const refused = await each.write(batchOf("one")).catch((error: unknown) => error);
    assert.match(String(refused), "The NATS server does not support headers");
  }
  await plain.write(batchOf("two"));
  assert.not.ok(writer.lines.some(({ message }) => message.includes("lost")));
  for (const each of [output, plain, streamed]) await each.close();
  await server.stop();
});

test("a failure has a reason, without the server's own text", async () => {
  const server = await startNats({ config: 'authorization { user: me, password: "secret" }' });
  const from = async (options: object) => {
    const output = natsOutput({ urls: [server.address], subject: "orders", ...options });
    return String(await output.start(componentContext()).catch((error: unknown) => error));
  };
  assert.match(await from({}), "NATS cannot be reached (authorization violation)");
  const login = { urls: [server.address.replace("//", "//me:secret@")] };
  assert.match(
    await from({ ...login, tls: { enabled: true } }),
    "NATS cannot be reached (server does not support 'tls')",
  );
  await server.stop();
  assert.match(await from(login), "NATS cannot be reached (connection refused)");
});

test("close does not wait for an unreachable server", async () => {
  const server = await startNats();
  const options = { urls: [server.address], subject: "orders" };
  const input = natsInput(options);
  const output = natsOutput(options);
  await input.start(inputContext());
  await output.start(componentContext());
  await server.stop();
  await Promise.all([input.close(), output.close()]);
});

test("close waits for deliveries in flight", async () => {
  const subject = randomUUID();
  const context = inputContext();
  const input = natsInput({ urls, subject });
  await input.start(context);
  peer.publish(subject, "slow");
  const { confirm } = await context.deliveries.next();
  let closed = false;
  const closing = input.close().then(() => {
    closed = true;
  });
  await new Promise(setImmediate);
  assert.not.ok(closed);
  confirm();
  await closing;
});

test("clients reconnect to a restarted server, and a start without a server fails", async () => {
  const port = await freePort();
  const options = { urls: [`nats://127.0.0.1:${port}`], subject: "orders" };
  const output = natsOutput(options);
  const context = inputContext();
  const input = natsInput(options);
  for (const begin of [() => output.start(componentContext()), () => input.start(context)]) {
    const refused = await begin().catch((error: unknown) => error);
    assert.instance(refused, GatewayError);
  }
  let server = await startNats({ port });
  const writer = componentContext();
  await output.start(writer);
  await input.start(context);
  await server.stop();
  const failed = await output.write(batchOf("lost")).catch((error: unknown) => error);
  assert.instance(failed, GatewayError);
  server = await startNats({ port });
  const again = (message: string) => message === "connected to NATS again";
  await until(() => [writer, context].every(({ lines }) => lines.some(({ message }) => again(message))));
  await output.write(batchOf("back"));
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "back");
  confirm();
  await Promise.all([input.close(), output.close()]);
  await server.stop();
});

test("subjects without permission fail, for readers and writers", async () => {
  const port = await freePort();
  const file = join(temporaryDirectory("nats"), "server.conf");
  const permissions = '{ publish: "allowed", subscribe: "allowed" }';
  const user = `{ user: me, password: "a:b", permissions: ${permissions} }`;
  writeFileSync(file, `authorization { users: [${user}] }\n`);
  const server = start("nats-server", ["--addr", "127.0.0.1", "--port", String(port), "-c", file]);
  await server.matching(/Server is ready/);
  const secured = [`nats://me:a%3Ab@127.0.0.1:${port}`];
  const output = natsOutput({ urls: secured, subject: (batch) => textOfBatch(batch) });
  await output.start(componentContext());
  // The server escapes the last one in its errors.
  const subjects = ["allowed", "forbidden", "allowed", '"\\u00ad"\\\u200b\u00ad\u{e0001}é'];
  const outcomes = await Promise.allSettled(subjects.map((subject) => output.write(batchOf(subject))));
  assert.equal(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "rejected"],
  );
  assert.equal(await writeOneByOne(output, batchOf("allowed", "forbidden", "a b", "allowed")), [
    "confirmed",
    "NATS does not allow the subject",
    "The computed `subject` is not a NATS subject to publish to that is not reserved",
    "confirmed",
  ]);
  const each = natsOutput({
    urls: secured,
    subject: (batch, index) => textOfBatch(batch.slice(index, index + 1)),
  });
  await each.start(componentContext());
  const batch = batchOf("allowed", "forbidden", "allowed", subjects[3] ?? "");
  const partly = await each.write(batch).catch((error: unknown) => error);
  if (!(partly instanceof UnfitMessages)) throw partly;
  assert.equal([...partly.failures.keys()], [batch[1], batch[3]]);
  assert.ok(partly.othersDelivered);
  await each.close();
  const fixed = natsOutput({ urls: secured, subject: "forbidden" });
  await fixed.start(componentContext());
  const nothing = await fixed.write(batch).catch((error: unknown) => error);
  assert.not.instance(nothing, UnfitMessages);
  assert.instance(nothing, GatewayError);
  await fixed.close();
  const refused = await natsInput({ urls: secured, subject: "forbidden" })
    .start(inputContext())
    .catch((error: unknown) => error);
  assert.instance(refused, GatewayError);
  await output.close();
  assert.equal(await writeOneByOne(natsOutput({ urls: secured, subject: "allowed" }), batchOf("early")), [
    "NATS is not connected",
  ]);
  await server.stop();
});

test.run();
