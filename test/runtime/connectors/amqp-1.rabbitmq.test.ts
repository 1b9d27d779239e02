import { once } from "node:events";
import rhea, { type Message as AmqpMessage, type Connection, type EventContext } from "rhea";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { amqp1Input, incomingMessage } from "../../../runtime/connectors/amqp-1/input.ts";
import { amqp1Output, propertyValue } from "../../../runtime/connectors/amqp-1/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { inputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { rabbitmq } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { Queue } from "../../harness/queue.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";

const test = suite("amqp_1");
const broker = await rabbitmq();
const urls = [broker.address];
const { hostname: host, port } = new URL(broker.address);
const peer = await connectPeer();
const manager = await connectRabbitmq(broker.address);
const channel = await manager.createChannel();
test.after(async () => {
  const closed = once(peer, "connection_close"); // or the broker that stops would report an error to the peer
  peer.close();
  await closed;
  await manager.close();
  await broker.stop();
});

async function connectPeer(): Promise<Connection> {
  const connection = rhea.create_container().connect({ host, port: Number(port), reconnect: false });
  await once(connection, "connection_open");
  return connection;
}

/** Creates a queue for one test and returns its name and address. */
async function newAddress(options: object = {}): Promise<{ address: string; queue: string }> {
  const { queue } = await channel.assertQueue(unique("orders"), { durable: true, ...options });
  return { address: `/amq/queue/${queue}`, queue };
}

/** Sends messages with another client. Resolves when the broker has them. */
async function send(address: string, ...messages: readonly object[]): Promise<void> {
  const sender = peer.open_sender({ target: { address } });
  await once(sender, "sendable");
  for (const message of messages) {
    sender.send(message as AmqpMessage); // plain objects are encoded, too
    await once(sender, "accepted");
  }
  sender.close();
}

const text = (content: string) => ({ body: rhea.message.data_section(Buffer.from(content)) });

/** Returns a queue of the messages that arrive at an address. */
function reader(address: string): Queue<AmqpMessage> {
  const messages = new Queue<AmqpMessage>();
  peer
    .open_receiver({ source: { address } })
    .on("message", ({ message }: EventContext) => message && messages.push(message));
  return messages;
}

const counted = async (queue: string) => (await channel.checkQueue(queue)).messageCount;

const reasonOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "it went well",
    (error: unknown) => (error instanceof GatewayError ? error.message : `unknown: ${String(error)}`),
  );

test("a message is accepted once it is delivered, and carries its properties and annotations", async () => {
  const { address, queue } = await newAddress();
  const context = inputContext();
  const input = amqp1Input({ urls, source_address: address, read_header: true });
  await input.start(context);
  await send(address, {
    ...text("one"),
    durable: true,
    priority: 3,
    ttl: 60_000,
    content_type: "text/plain",
    content_encoding: "identity",
    creation_time: new Date(1_700_000_000_000),
    to: "shop",
    message_annotations: { "x-trace": "a1" },
    application_properties: { kind: "order", count: 2, ok: true },
  });
  const { batch, text: content, confirm } = await context.deliveries.next();
  assert.is(content, "one");
  assert.equal(Object.fromEntries(new Map<string, Value>(batch[0]?.metadata)), {
    "x-trace": "a1",
    kind: "order",
    count: "2",
    ok: "true",
    amqp_content_type: "text/plain",
    amqp_content_encoding: "identity",
    amqp_creation_time: "2023-11-14T22:13:20Z",
    amqp_to: "shop",
    amqp_durable: "true",
    amqp_priority: "3",
    amqp_ttl: "60000",
    amqp_first_acquirer: "true",
    amqp_delivery_count: "0",
  });
  confirm();
  await input.close();
  await input.close();
  assert.is(await counted(queue), 0);
});

test("the header is read only if configured, and bodies of all types have a content", async () => {
  const { address } = await newAddress();
  const context = inputContext();
  const input = amqp1Input({ urls, source_address: address });
  await input.start(context);
  await send(
    address,
    { body: "text" },
    { body: { a: 1 } },
    { body: rhea.message.sequence_section([1, "x"]) },
  );
  const deliveries = await context.deliveries.take(3);
  assert.equal(
    deliveries.map((delivery) => delivery.text),
    ["text", '{"a":1}', '[1,"x"]'],
  );
  assert.equal([...new Map<string, Value>(deliveries[0]?.batch[0]?.metadata).keys()], []);
  for (const { confirm } of deliveries) confirm();
  await input.close();
  const sections = rhea.message.data_sections([Buffer.from("a"), Buffer.from("b")]);
  const decoded = { body: undefined, ...rhea.message.decode(rhea.message.encode({ body: sections })) };
  const inSections = incomingMessage(decoded, false);
  assert.is(Buffer.from(inSections.bytes()).toString(), "ab");
});

test("hostile bodies and properties neither crash the process nor are lost", async () => {
  const { address, queue } = await newAddress();
  const context = inputContext();
  const input = amqp1Input({ urls, source_address: address });
  await input.start(context);
  const section = { typecode: 0x75, content: [1] };
  const [far, none] = [rhea.types.wrap_timestamp(2 ** 50), rhea.types.wrap_timestamp(2 ** 60)];
  const bodies: readonly unknown[] = [
    { content: "x", other: 1 },
    section,
    { content: [section] },
    { toJSON: 1, toString: 2 },
    { constructor: { name: "Section" } },
    nestedList(500),
    [],
    "",
    rhea.message.data_section(Buffer.alloc(0)),
    rhea.message.data_sections([Buffer.from("a"), Buffer.from("b")]),
    rhea.message.sequence_sections([[1], ["x"]]),
  ];
  const hostile = bodies.map((body) => ({ body, application_properties: { far, none, "a\r\nb": "c\r\nd" } }));
  await send(address, ...hostile, { body: "last", creation_time: new Date(Number.NaN) });
  const deliveries = await context.deliveries.take(bodies.length + 1);
  assert.equal(
    deliveries.slice(0, 2).map((delivery) => delivery.text),
    ['{"content":"x","other":1}', '{"typecode":117,"content":[1]}'],
  );
  assert.is(deliveries.at(-1)?.text, "last");
  const times = ["far", "none"].map((name) => deliveries[0]?.batch[0]?.metadata.get(name));
  assert.equal(times, ["37648-05-06T22:07:22Z", undefined]);
  for (const { confirm } of deliveries) confirm();
  await input.close();
  assert.is(await counted(queue), 0);
  // Deeper than brokers accept.
  const deep = incomingMessage({ body: nestedList(20_000) }, false);
  assert.is(deep.failure?.message, "The body of the AMQP message cannot be read");
  // `test/link/rhea.test.ts` checks the errors that the bundled client reports for messages that it cannot decode.
  const { failure } = incomingMessage({ body: undefined, unreadable: new TypeError("no section") }, true);
  assert.equal(
    [failure?.status, failure?.retryable, failure?.message],
    [422, false, "The AMQP message cannot be read"],
  );
});

function nestedList(depth: number): unknown {
  let list: unknown = "deep";
  for (let level = 0; level < depth; level += 1) list = [list];
  return list;
}

test("no more messages are in flight than there is credit, and each is accepted individually", async () => {
  const { address, queue } = await newAddress();
  const context = inputContext();
  const input = amqp1Input({ urls, source_address: address, credit: 2 });
  await input.start(context);
  await send(address, ...["1", "2", "3", "4"].map(text));
  const [, second] = await context.deliveries.take(2);
  assert.is(await counted(queue), 2);
  second?.confirm();
  assert.is((await context.deliveries.next()).text, "3");
  assert.is(await counted(queue), 1);
  for (const { confirm } of context.deliveries.all) confirm();
  (await context.deliveries.next()).confirm();
  await input.close();
  assert.is(await counted(queue), 0);
});

test("a rejected message is redelivered after a pause, and counts as blocked until it is delivered", async () => {
  const { address } = await newAddress();
  const context = inputContext();
  const input = amqp1Input({ urls, source_address: address });
  await input.start(context);
  await send(address, text("bad"), text("good"));
  const [bad, good] = await context.deliveries.take(2);
  good?.confirm();
  bad?.refuse(new GatewayError(502, "not now"));
  const again = await context.deliveries.next();
  assert.is(again.text, "bad");
  assert.equal(context.blocked, [true]);
  again.confirm();
  await until(() => context.blocked.length === 2);
  assert.equal(context.blocked, [true, false]);
  assert.equal(
    context.lines.filter(({ message }) => message.includes("connection lost")),
    [],
  );
  await input.close();
});

test("a message is given up after the maximum of attempts, and the rest return to the broker", async () => {
  const { address, queue } = await newAddress();
  const givenUp: string[] = [];
  const context = {
    ...inputContext(),
    maxAttempts: 2,
    giveUp: async (_: unknown, failure: GatewayError) => void givenUp.push(failure.message),
  };
  const input = amqp1Input({ urls, source_address: address });
  await input.start(context);
  await send(address, text("bad"));
  for (const reason of ["first", "second"]) {
    (await context.deliveries.next()).refuse(new GatewayError(502, reason));
  }
  await until(() => givenUp.length > 0);
  await send(address, text("late"));
  const late = await context.deliveries.next();
  const closed = input.close();
  late.refuse(new GatewayError(502, "closing"));
  await closed;
  assert.equal(givenUp, ["second"]);
  await until(async () => (await counted(queue)) === 1);
});

test("metadata is sent in the protocol's sections by name, and is read back under the same name", async () => {
  const { address } = await newAddress();
  const messages = reader(address);
  const metadata = new Map<string, Value>([
    ["x-trace", "a1"],
    ["User-Agent", "curl"],
    ["Content-Type", "application/json"],
    ["count", 2],
    ["secret_key", "s"],
    ["amqp_to", "shop"],
    ["kafka_topic", "orders"],
  ]);
  const output = amqp1Output({
    urls,
    target_address: address,
    metadata: { exclude_prefixes: ["secret_"] },
  });
  await output.start(componentContext());
  await output.write([Message.fromText("{}", metadata)]);
  const { body, content_type, message_annotations, application_properties } = await messages.next();
  assert.is(String(body.content), "{}");
  assert.is(content_type, "application/json");
  // Request headers among the annotations would make brokers close the link repeatedly.
  assert.equal(message_annotations, { "x-trace": "a1" });
  assert.equal(application_properties, {
    "User-Agent": "curl",
    "Content-Type": "application/json",
    count: "2",
  });
  await output.close();
});

test("a mapping sets application properties from strings, numbers and booleans, and fails for other values", async () => {
  const { address } = await newAddress();
  const messages = reader(address);
  const made = (source: string) => Message.fromText(source);
  const output = amqp1Output({
    urls,
    target_address: address,
    application_properties_map: (batch, index) => {
      const source = batch[index]?.metadata.get("made");
      return typeof source === "string" ? made(source) : undefined;
    },
  });
  await output.start(componentContext());
  const attempt = (source: string) =>
    reasonOf(output.write([Message.fromText("a", new Map<string, Value>([["made", source]]))]));
  assert.is(await attempt('{"a":"x","b":7,"c":-1.5,"d":true,"e":null,"made":"mine"}'), "it went well");
  const { application_properties: properties } = await messages.next();
  assert.equal({ ...properties }, { a: "x", b: 7, c: -1.5, d: true, e: null, made: "mine" });
  assert.is(
    await attempt('{"a":[1]}'),
    "The application property `a` of amqp_1 is neither a text, a number nor a boolean",
  );
  assert.is(await attempt("[1]"), "application_properties_map of amqp_1 did not return an object");
  assert.is(await attempt("null"), "it went well");
  await output.write(batchOf("without"));
  await output.close();
});

test("64-bit integers are sent without loss", () => {
  const message = Message.fromText("[9007199254740993, 18446744073709551615, 5.0, 1e3, -3]");
  const document = message.document();
  const bytes = (Array.isArray(document) ? document : []).map((value: Value) =>
    rhea.message
      .encode({ body: propertyValue("a", value) })
      .toString("hex")
      .slice(22),
  );
  assert.equal(bytes, [
    "810020000000000001",
    "80ffffffffffffffff",
    "824014000000000000",
    "82408f400000000000",
    "55fd",
  ]);
});

test("large batches and messages are sent within the available credit", async () => {
  const { address, queue } = await newAddress();
  const output = amqp1Output({ urls, target_address: address, max_in_flight: 2 });
  await output.start(componentContext());
  const texts = Array.from({ length: 3000 }, (_, index) => String(index));
  await Promise.all([output.write(batchOf(...texts)), output.write(batchOf("x".repeat(300_000)))]);
  assert.is(await counted(queue), 3001);
  const context = inputContext();
  const input = amqp1Input({ urls, source_address: address, credit: 100 });
  await input.start(context);
  const seen: string[] = [];
  for (let left = 3001; left > 0; left -= 1) {
    const { text: content, confirm } = await context.deliveries.next();
    seen.push(content.slice(0, 10));
    confirm();
  }
  assert.equal(seen, [...texts, "x".repeat(10)]);
  await input.close();
  await output.close();
  assert.is(await counted(queue), 0);
});

test("the login is sent as configured", async () => {
  const { address } = await newAddress();
  const start = async (address1: readonly string[], sasl?: object) => {
    const output = amqp1Output({ urls: address1, target_address: address, ...(sasl && { sasl }) });
    const reason = await reasonOf(output.start(componentContext()));
    await output.close();
    return reason;
  };
  const withLogin = [broker.address.replace("://", "://guest:guest@")];
  const wrong = [broker.address.replace("://", "://guest:wrong@")];
  const refused = "The AMQP broker cannot be reached (amqp:unauthorized-access)";
  assert.is(await start(urls, { mechanism: "none" }), "it went well");
  assert.is(await start(urls, { mechanism: "anonymous" }), "it went well");
  assert.is(await start(urls, { mechanism: "plain", user: "guest", password: "guest" }), "it went well");
  assert.is(await start(withLogin), "it went well");
  assert.is(await start(wrong, { mechanism: "plain", user: "guest", password: "guest" }), "it went well");
  assert.is(await start(wrong), refused);
  assert.is(await start(urls, { mechanism: "plain", user: "guest", password: "wrong" }), refused);
});

test("a missing address fails the start; the next broker is tried", async () => {
  const missing = `/amq/queue/${unique("none")}`;
  const reason = "The AMQP broker refused the address (amqp:not-found)";
  const input = amqp1Input({ urls, source_address: missing });
  assert.is(await reasonOf(input.start(inputContext())), reason);
  await input.close();
  const output = amqp1Output({ urls, target_address: `/exchange/${unique("none")}/a` });
  assert.is(await reasonOf(output.start(componentContext())), reason);
  await output.close();
  const { address } = await newAddress();
  const second = amqp1Output({ urls: [`amqp://127.0.0.1:1, ${broker.address}`], target_address: address });
  assert.is(await reasonOf(second.start(componentContext())), "it went well");
  await second.close();
  const none = amqp1Output({ urls: ["amqp://127.0.0.1:1"], target_address: address });
  assert.is(
    await reasonOf(none.start(componentContext())),
    "The AMQP broker cannot be reached (ECONNREFUSED)",
  );
  await none.close();
});

test("failures are settled as modified if the broker counts them, and a message it rejects fails the write", async () => {
  const container = rhea.create_container();
  const settled = new Queue<string>();
  container.on("sender_open", ({ sender }: EventContext) => {
    sender?.once("sendable", () =>
      sender.send({ ...text("one"), delivery_count: 1 } as unknown as AmqpMessage),
    );
    for (const outcome of ["modified", "accepted"]) {
      sender?.on(outcome, ({ delivery }: EventContext) =>
        settled.push(`${outcome} ${String(delivery?.remote_state?.delivery_failed)}`),
      );
    }
  });
  container.on("receiver_open", ({ receiver }: EventContext) => receiver?.add_credit(10));
  container.options.autoaccept = false;
  container.on("message", ({ delivery }: EventContext) =>
    delivery?.reject({ condition: "amqp:resource-limit-exceeded", description: "full" }),
  );
  const server = container.listen({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const at = server.address();
  const local = [`amqp://127.0.0.1:${typeof at === "object" ? at?.port : at}`];
  const context = inputContext();
  const input = amqp1Input({ urls: local, source_address: "a", read_header: true });
  await input.start(context);
  const { batch, refuse } = await context.deliveries.next();
  assert.is(batch[0]?.metadata.get("amqp_delivery_count"), "1");
  refuse(new GatewayError(502, "not now"));
  assert.is(await settled.next(), "modified true");
  await input.close();
  const output = amqp1Output({ urls: local, target_address: "a" });
  await output.start(componentContext());
  assert.is(
    await reasonOf(output.write(batchOf("x"))),
    "The AMQP broker rejected the message (amqp:resource-limit-exceeded)",
  );
  await output.close();
  server.close();
});

test("no more batches are in flight than configured", async () => {
  const container = rhea.create_container();
  container.options.autoaccept = false;
  const arrived = new Queue<() => void>();
  container.on("message", ({ delivery }: EventContext) => arrived.push(() => delivery?.accept()));
  const server = container.listen({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const at = server.address();
  const output = amqp1Output({
    urls: [`amqp://127.0.0.1:${typeof at === "object" ? at?.port : at}`],
    target_address: "a",
    max_in_flight: 2,
  });
  await output.start(componentContext());
  const written = Promise.all(["1", "2", "3"].map((content) => output.write(batchOf(content))));
  const [first, second] = await arrived.take(2);
  assert.is(arrived.all.length, 2);
  first?.();
  (await arrived.next())();
  second?.();
  await written;
  await output.close();
  server.close();
});

test("batches of more messages than credit are delivered with as many as the broker sends", async () => {
  const { address } = await newAddress();
  const context = inputContext();
  const input = inputWithBatching(amqp1Input({ urls, source_address: address, credit: 3 }), { count: 10 });
  await input.start(context);
  await send(address, ...["a", "b", "c", "d", "e", "f"].map(text));
  for (const expected of ["a b c", "d e f"]) {
    const { text, confirm } = await context.deliveries.next();
    assert.is(text, expected);
    confirm();
  }
  await input.close();
});

test.run();
