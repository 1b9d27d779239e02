import { connect as connectTcp } from "node:net";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import { natsJetstreamOutput } from "../../../runtime/connectors/nats/jetstream/output.ts";
import { startNats } from "../../harness/brokers/nats.ts";
import { unique } from "../../harness/names.ts";
import { batchOf, componentContext, textOfBatch, writeOneByOne } from "./contexts.ts";
import { jetstreamPeer } from "./jetstream-peer.ts";

const test = suite("nats_jetstream output");
const { broker, urls, peer, manager, newStream, close } = await jetstreamPeer();
test.after(close);

const noStream = "No JetStream stream captures this subject";
const notStored = "JetStream did not store the message";
/** A subject that the server escapes in its errors. */
const quoted = 'stored."\\u00ad"\\u200b\u00ad\u{e0001}é';
const notAllowed = "NATS does not allow the subject";
/** The failure where the replies of streams are not allowed. */
const noReplies = `${notStored} (permissions violation)`;

/** Each message is the subject to which it is published. */
async function toSubjects(addresses: readonly string[]) {
  const output = natsJetstreamOutput({ urls: addresses, subject: (batch, index) => textOf(batch[index]) });
  await output.start(componentContext());
  return output;
}

function textOf(message: ReturnType<typeof batchOf>[number] | undefined): string {
  return message === undefined ? "" : textOfBatch([message]);
}

test("messages that are written together have outcomes of their own, and keep their order", async () => {
  const stream = await newStream();
  const output = await toSubjects(urls);
  const nowhere = unique("nowhere");
  assert.equal(await writeOneByOne(output, batchOf(`${stream}.a`, nowhere, "a b", `${stream}.b`)), [
    "confirmed",
    noStream,
    "The computed `subject` is not a NATS subject to publish to that is not reserved",
    "confirmed",
  ]);
  const subjects = Array.from({ length: 200 }, (_, index) => `${stream}.${index}`);
  const outcomes = await writeOneByOne(output, batchOf(...subjects));
  assert.equal(new Set(outcomes), new Set(["confirmed"]));
  const stored = [];
  for (let seq = 3; seq <= 202; seq += 1)
    stored.push((await manager.streams.getMessage(stream, { seq }))?.subject);
  assert.equal(stored, subjects);
  await output.close();
});

test("only the acknowledgement of a stream confirms a message", async () => {
  const output = await toSubjects(urls);
  for (const reply of ["", "ok", "null", "{}", '"timeout"', '{"stream":""}', '{"error":{}}', "[1]"]) {
    const subject = unique("answered");
    const subscription = peer.subscribe(subject, { callback: (_, message) => void message.respond(reply) });
    await peer.flush();
    assert.equal(await writeOneByOne(output, batchOf(subject)), [notStored], reply);
    subscription.unsubscribe();
  }
  await output.close();
});

test("an error of the stream is final only if it concerns the message", async () => {
  const subject = unique("answered");
  const subscription = peer.subscribe(subject, {
    callback: (_, message) =>
      void message.respond(`{"error":{"err_code":${message.string()},"description":"-"}}`),
  });
  await peer.flush();
  // A sequence that is not the expected one, also in a replicated stream; an invalid TTL; a stream that is full.
  const codes = [10071, 10164, 10165, 10077];
  const output = natsJetstreamOutput({ urls, subject });
  await output.start(componentContext());
  const rejected = "JetStream rejects the message";
  assert.equal(await writeOneByOne(output, batchOf(...codes.map(String))), [
    rejected,
    rejected,
    rejected,
    `${notStored} (error 10077)`,
  ]);
  subscription.unsubscribe();
  await output.close();
});

test("a reply whose headers the client cannot read refuses its message alone", async () => {
  const stream = await newStream();
  const output = await toSubjects(urls);
  // Clients validate the names of headers that they send; the server passes on any.
  const socket = connectTcp(Number(new URL(broker.address).port), "127.0.0.1");
  socket.resume().write('CONNECT {"verbose":false,"headers":true}\r\n');
  const head = "NATS/1.0\r\nbad name: x\r\n\r\n";
  const subject = unique("answered");
  const subscription = peer.subscribe(subject, {
    callback: (_, { reply }) =>
      void socket.write(`HPUB ${reply} ${head.length} ${head.length}\r\n${head}\r\n`),
  });
  await peer.flush();
  assert.equal(await writeOneByOne(output, batchOf(subject)), [notStored]);
  assert.equal(await writeOneByOne(output, batchOf(`${stream}.a`)), ["confirmed"]);
  subscription.unsubscribe();
  socket.destroy();
  await output.close();
});

test("a subject without permission is refused, and so are all if replies are not allowed", async () => {
  const user = (name: string, permissions: string) =>
    `{ user: ${name}, password: secret, permissions: { ${permissions} } }`;
  const server = await startNats({
    config: `authorization { users: [${[
      user("root", 'publish: ">", subscribe: ">"'),
      user("writer", 'publish: "stored.allowed", subscribe: "_INBOX.>"'),
      user("deaf", 'publish: "stored.>", subscribe: "nothing"'),
    ]}] }`,
  });
  const as = (name: string) => [server.address.replace("//", `//${name}:secret@`)];
  const root = await connect({ servers: server.address, user: "root", pass: "secret" });
  await (await jetstreamManager(root)).streams.add({ name: "stored", subjects: ["stored.*"] });
  const writer = await toSubjects(as("writer"));
  const subjects = batchOf("stored.allowed", "stored.other", "stored.allowed", "stored.other", quoted);
  const outcomes = ["confirmed", notAllowed, "confirmed", notAllowed, notAllowed];
  assert.equal(await writeOneByOne(writer, subjects), outcomes);
  const refused = await writer.write(subjects).catch((error: unknown) => error);
  if (!(refused instanceof UnfitMessages)) throw refused;
  assert.equal([...refused.failures.keys()], [subjects[1], subjects[3], subjects[4]]);
  assert.ok(refused.othersDelivered);
  const deaf = await toSubjects(as("deaf"));
  for (const attempt of ["first", "second"])
    assert.equal(await writeOneByOne(deaf, batchOf("stored.a", "stored.b")), [noReplies, noReplies], attempt);
  await Promise.all([writer.close(), deaf.close(), root.close()]);
  await server.stop();
});

test.run();
