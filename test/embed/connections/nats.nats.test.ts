import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startNats } from "../../harness/brokers/nats.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { streamFrom, streamTo, testedLines } from "./tested.ts";

const server = await startNats({
  config: `authorization { users: [
    { user: all, password: secret }
    { user: few, password: secret, permissions: { publish: "none.>", subscribe: ["orders.>", "_INBOX.>"] } }
  ] }`,
});
const { host } = new URL(server.address);
const urls = [`nats://all:secret@${host}`];
const few = [`nats://few:secret@${host}`];
const address = `passed address ${host}`;

const client = await connect({ servers: server.address, user: "all", pass: "secret" });
const manager = await jetstreamManager(client);
await manager.streams.add({ name: "ORDERS", subjects: ["orders.*"] });
await manager.consumers.add("ORDERS", { durable_name: "reader", ack_policy: "explicit" as never });
await manager.consumers.add("ORDERS", { durable_name: "careless", ack_policy: "none" as never });
await new Kvm(client).create("carts");

test.after(async () => {
  await client.close();
  await server.stop();
});

/** What is said where the server does not answer, as this one, or may not be asked. */
const untold = (subject: string) =>
  `untested right to publish to ${subject}: the server does not report the permissions of this user ($SYS.REQ.USER.INFO)`;

test("the permission to subscribe is tested", async () => {
  assert.equal(await testedLines(streamFrom({ nats: { urls, subject: "orders.new" } })), [
    address,
    "passed login",
    "passed right to subscribe to orders.new",
  ]);
});

test("a denied subscription is a failure, but untested if it needs a queue", async () => {
  assert.equal((await testedLines(streamFrom({ nats: { urls: few, subject: "secrets" } }))).slice(2), [
    "failed right to subscribe to secrets (forbidden): the user may not subscribe to it",
  ]);
  assert.equal(
    (await testedLines(streamFrom({ nats: { urls: few, subject: "secrets", queue: "q" } }))).slice(2),
    [
      "untested right to subscribe to secrets: the user may not subscribe without the queue q, in which it would consume messages",
    ],
  );
});

test("no message is consumed from a queue", async () => {
  const taken: string[] = [];
  const reader = client.subscribe("orders.queued", {
    queue: "q",
    callback: (_, { subject }) => void taken.push(subject),
  });
  const testing = testedLines(streamFrom({ nats: { urls, subject: "orders.queued", queue: "q" } }));
  let sent = 0;
  let over = false;
  void testing.finally(() => {
    over = true;
  });
  while (!over) {
    for (let more = 0; more < 20; more++, sent++) client.publish("orders.queued");
    await client.flush();
  }
  await testing;
  reader.unsubscribe();
  assert.ok(sent > 0);
  assert.is(taken.length, sent);
});

test("nothing is published", async () => {
  const before = await manager.streams.info("ORDERS");
  assert.equal(await testedLines(streamTo({ nats: { urls, subject: "orders.new" } })), [
    address,
    "passed login",
    untold("orders.new"),
  ]);
  assert.is((await manager.streams.info("ORDERS")).state.messages, before.state.messages);
});

test("the permission to publish is read from the server", async () => {
  const lines = async (output: object) => (await testedLines(streamTo(output))).slice(2);
  assert.equal(await lines({ nats: { urls: few, subject: "orders.new" } }), [untold("orders.new")]);
  let permissions: object | undefined;
  // Servers since 2.10 answer this to each user; this one passes it on to whoever listens.
  const answering = client.subscribe("$SYS.REQ.USER.INFO", {
    callback: (_, message) => {
      message.respond(JSON.stringify({ server: {}, data: { user: "all", permissions } }));
    },
  });
  const rightTo = async (subject: string, publish?: object) => {
    permissions = publish && { publish };
    return (await lines({ nats: { urls, subject } })).join();
  };
  const passed = (subject: string) => `passed right to publish to ${subject}`;
  const failed = (subject: string) =>
    `failed right to publish to ${subject} (forbidden): the user may not publish to it`;
  assert.is(await rightTo("a"), passed("a"));
  assert.is(await rightTo("a", {}), passed("a"));
  assert.is(await rightTo("orders.new", { allow: ["bills", "orders.*"] }), passed("orders.new"));
  assert.is(await rightTo("orders.new.big", { allow: ["bills", "orders.*"] }), failed("orders.new.big"));
  assert.is(await rightTo("orders.new.big", { allow: ["orders.>"] }), passed("orders.new.big"));
  assert.is(await rightTo("orders", { allow: ["orders.>"] }), failed("orders"));
  assert.is(await rightTo("orders.new", { allow: [">"], deny: ["*.new"] }), failed("orders.new"));
  assert.is(await rightTo("orders.old", { deny: ["*.new"] }), passed("orders.old"));
  permissions = { publish: { allow: ["$KV.carts.>"] } };
  assert.is((await lines({ nats_kv: { urls, bucket: "carts", key: "k" } })).at(-1), passed("$KV.carts.k"));
  assert.is((await lines({ nats_jetstream: { urls, subject: "orders.new" } })).at(-1), failed("orders.new"));
  assert.equal(await lines({ nats: { urls, subject: "orders.${! this.kind }" } }), [
    "untested right to publish: the subject is computed from each message",
  ]);
  answering.unsubscribe();
});

test("a wrong password is an authentication failure, and is not printed", async () => {
  const lines = await testedLines(streamTo({ nats: { urls: [`nats://all:wr0ng@${host}`], subject: "a" } }));
  assert.equal(lines, [address, "failed login (authentication): the server does not accept the login"]);
});

test("a stream is found by name or subject, and its consumer is checked", async () => {
  const read = (options: object) => testedLines(streamFrom({ nats_jetstream: { urls, ...options } }));
  assert.equal(await read({ stream: "ORDERS", subject: "orders.new", durable: "fresh" }), [
    address,
    "passed login",
    "passed JetStream",
    "passed stream ORDERS",
    "untested consumer fresh: it does not exist yet; the gateway creates it",
  ]);
  assert.equal((await read({ subject: "orders.new", durable: "fresh" })).slice(3, 4), [
    "passed stream for orders.new",
  ]);
  assert.equal((await read({ stream: "ORDERS", durable: "reader", bind: true })).slice(4), [
    "passed consumer reader",
  ]);
  assert.equal((await read({ stream: "ORDERS", durable: "nobody", bind: true })).slice(4), [
    "failed consumer nobody (missing): the stream ORDERS has no such consumer",
  ]);
  assert.equal((await read({ stream: "ORDERS", durable: "careless" })).slice(4), [
    "failed consumer careless (other): The consumer careless of the stream ORDERS does not require explicit acknowledgements, so messages could be lost",
  ]);
  const names = await manager.consumers.list("ORDERS").next();
  assert.equal(names.map(({ name }) => name).sort(), ["careless", "reader"]);
});

test("a stream that is missing, or lacks the subject, is a failure", async () => {
  const read = (options: object) => testedLines(streamFrom({ nats_jetstream: { urls, ...options } }));
  assert.equal((await read({ stream: "NONE", durable: "d" })).slice(3), [
    "failed stream NONE (missing): there is none",
  ]);
  assert.equal((await read({ subject: "bills", durable: "d" })).slice(3), [
    "failed stream for bills (missing): there is none",
  ]);
  assert.equal((await read({ stream: "ORDERS", subject: "bills", durable: "d" })).slice(3), [
    "failed stream ORDERS (unfit): it takes no subject bills",
  ]);
  assert.equal((await testedLines(streamTo({ nats_jetstream: { urls, subject: "bills" } }))).slice(3), [
    "failed stream for bills (missing): there is none",
    untold("bills"),
  ]);
});

test("a missing permission for JetStream is reported", async () => {
  const lines = await testedLines(streamTo({ nats_jetstream: { urls: few, subject: "orders.new" } }));
  assert.equal(lines.slice(2), [
    "failed JetStream (forbidden): the user may not use the JetStream API for it",
  ]);
});

test("a missing bucket is a failure", async () => {
  const set = (bucket: string) => testedLines(streamTo({ nats_kv: { urls, bucket, key: "k" } }));
  assert.equal((await set("carts")).slice(3), ["passed bucket carts", untold("$KV.carts.k")]);
  assert.equal((await set("none")).slice(3), ["failed bucket none (missing): there is no such bucket"]);
  assert.equal((await testedLines(streamFrom({ nats_kv: { urls, bucket: "carts" } }))).slice(3), [
    "passed bucket carts",
    "untested right to read keys: a consumer would have to be created",
  ]);
});

test("an untrusted certificate and a server without TLS are distinguished", async () => {
  const { server: certificate, authority } = await createCertificates();
  const encrypted = await startNats({
    config: `tls { cert_file: "${certificate.certFile}", key_file: "${certificate.keyFile}" }`,
  });
  const write = (nats: object) => testedLines(streamTo({ nats: { subject: "a", ...nats } }));
  try {
    const tls = { enabled: true };
    const there = { urls: [encrypted.address] };
    assert.equal((await write({ ...there, tls })).slice(1), [
      "failed login (certificate): its certificate is not trusted",
    ]);
    assert.is(
      (await write({ ...there, tls: { ...tls, root_cas_file: authority.certFile } }))[1],
      "passed login",
    );
    assert.equal((await write({ urls, tls })).slice(1), [
      "failed login (tls): the server does not offer TLS",
    ]);
  } finally {
    await encrypted.stop();
  }
});

test.run();
