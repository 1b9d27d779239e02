import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type IPublishPacket } from "mqtt";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import type { MqttOutputOptions } from "../../../runtime/connectors/mqtt/generated/output-options.ts";
import { mqttInput } from "../../../runtime/connectors/mqtt/input.ts";
import { mqttOutput } from "../../../runtime/connectors/mqtt/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { createNameFilter } from "../../../runtime/message/name-filter.ts";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { Queue } from "../../harness/queue.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "./contexts.ts";

const test = suite("mqtt 5");
const directory = temporaryDirectory("mosquitto");
const rights = join(directory, "rights");
writeFileSync(rights, "topic readwrite open/#\n");
const broker = await startMosquitto({ directory, configuration: [`acl_file ${rights}`] });
const urls = [broker.address];
const peer = await connectAsync(broker.address, { protocolVersion: 5 });
test.after(async () => {
  await peer.endAsync();
  await broker.stop();
});

/** Returns the packet that an MQTT 5 client receives for one message written with these options. */
async function published(options: Partial<MqttOutputOptions>, message: Message): Promise<IPublishPacket> {
  const topic = `open/${randomUUID()}`;
  const packets = new Queue<IPublishPacket>();
  const keep = (at: string, _: Buffer, packet: IPublishPacket) => at === topic && packets.push(packet);
  peer.on("message", keep);
  await peer.subscribeAsync(topic, { qos: 1, rap: true });
  const output = mqttOutput({ urls, topic, protocol_version: 5, ...options });
  await output.start(componentContext());
  await output.write([message]);
  await output.close();
  const packet = await packets.next();
  peer.off("message", keep);
  return packet;
}

/** Returns the error of a write. */
async function refusalOf(options: Partial<MqttOutputOptions>, text = "x"): Promise<GatewayError> {
  const output = mqttOutput({ urls, topic: "open/a", protocol_version: 5, ...options });
  await output.start(componentContext());
  const failure = await output.write(batchOf(text)).catch((error: unknown) => error);
  await output.close();
  assert.instance(failure, GatewayError);
  return failure as GatewayError; // the previous line checks it
}

test("all publish properties are sent, computed from the message", async () => {
  const { properties } = await published(
    {
      content_type: textOfBatch,
      response_topic: (batch) => `answers/${textOfBatch(batch)}`,
      correlation_data: textOfBatch,
      message_expiry: 90_500,
      user_properties: { kind: textOfBatch, trace: "fixed" },
      metadata: createNameFilter({ include_prefixes: ["tr"], include_patterns: ["^n$"] }),
    },
    Message.fromText(
      "order",
      new Map<string, string | number>([
        ["trace", "loses"],
        ["tree", "oak"],
        ["n", 7],
        ["secret", "stays"],
      ]),
    ),
  );
  assert.is(properties?.contentType, "order");
  assert.is(properties?.responseTopic, "answers/order");
  assert.is(properties?.correlationData?.toString(), "order");
  assert.ok((properties?.messageExpiryInterval ?? 0) > 60 && (properties?.messageExpiryInterval ?? 0) <= 91);
  assert.equal({ ...properties?.userProperties }, { trace: "fixed", tree: "oak", n: "7", kind: "order" });
});

test("no properties are sent unless configured", async () => {
  const { properties } = await published({}, Message.fromText("a", new Map([["trace", "b"]])));
  assert.equal(properties ?? {}, {});
});

test("retained_interpolated decides for each message, and must be a boolean", async () => {
  const retained = async (text: string, fixed: boolean) =>
    (await published({ retained: fixed, retained_interpolated: textOfBatch }, Message.fromText(text))).retain;
  assert.is(await retained("true", false), true);
  assert.is(await retained("F", true), false);
  const refusal = await refusalOf({ retained_interpolated: textOfBatch }, "maybe");
  assert.match(refusal.message, /is not `true` or `false`/);
  assert.is(refusal.retryable, false);
});

test("the properties of a received message become metadata", async () => {
  const topic = `open/${randomUUID()}`;
  const context = inputContext();
  const input = mqttInput({ urls, topics: [topic], protocol_version: 5 });
  await input.start(context);
  const properties = {
    userProperties: { trace: ["a1", "a2"], mqtt_topic: "forged" },
    contentType: "text/plain",
    responseTopic: "answers",
    correlationData: Buffer.from("7"),
  };
  await peer.publishAsync(topic, "hello", { qos: 1, properties });
  const { batch, confirm } = await context.deliveries.next();
  confirm();
  const metadata = Object.fromEntries(batch[0]?.metadata ?? []);
  const { mqtt_message_id: id, ...rest } = metadata;
  assert.type(id, "number");
  assert.equal(rest, {
    trace: "a1",
    "Content-Type": "text/plain",
    mqtt_response_topic: "answers",
    mqtt_correlation_data: "7",
    mqtt_topic: topic,
    mqtt_qos: 1,
    mqtt_retained: false,
    mqtt_duplicate: false,
  });
  await input.close();
});

test("CONNECT carries the receive maximum and the session expiry", async () => {
  const session = { client_id: randomUUID(), clean_session: false, protocol_version: 5 } as const;
  const topics = [`open/${session.client_id}`];
  const start = async (session_expiry?: number) => {
    const input = mqttInput({
      urls,
      topics,
      ...session,
      ...(session_expiry === undefined ? {} : { session_expiry }),
    });
    await input.start(inputContext());
    await input.close();
  };
  const isKept = async () => {
    const again = await connectAsync(broker.address, {
      protocolVersion: 5,
      clientId: session.client_id,
      clean: false,
      properties: { sessionExpiryInterval: 60 },
    });
    const { connackPacket } = again as unknown as { connackPacket: { sessionPresent: boolean } };
    await again.endAsync();
    return connackPacket.sessionPresent;
  };
  await start();
  assert.is(await isKept(), true);
  await start(0);
  assert.is(await isKept(), false);
});

test("fields of MQTT 5 are rejected with 3.1.1", async () => {
  const output = mqttOutput({ urls, topic: "open/a", content_type: "text/plain" });
  const failure = await output.start(componentContext()).catch((error: unknown) => String(error));
  assert.match(String(failure), /`content_type` works only with protocol_version: 5/);
  const options = { urls, topics: ["open/a"], client_id: "a", clean_session: false, session_expiry: 1000 };
  const refused = await mqttInput(options)
    .start(inputContext())
    .catch((error: unknown) => String(error));
  assert.match(String(refused), /`session_expiry` works only with protocol_version: 5/);
});

for (const qos of [1, 2]) {
  test(`quality of service ${qos}: a publication the broker rejects fails with its reason, once`, async () => {
    const refusal = await refusalOf({ topic: "closed/a", qos });
    assert.is(refusal.message, "The MQTT broker did not accept the message: Not authorized (135)");
    assert.is(refusal.retryable, false);
  });
}

test("of a write, the messages to topics without right fail for good, and the others arrive once", async () => {
  const good = `open/${randomUUID()}`;
  const packets = new Queue<string>();
  const keep = (at: string, payload: Buffer) => at === good && packets.push(String(payload));
  peer.on("message", keep);
  await peer.subscribeAsync(good, { qos: 1 });
  const topic = (batch: Batch, index: number) =>
    textOfBatch(batch.slice(index, index + 1)).startsWith("good") ? good : "closed/a";
  const output = mqttOutput({ urls, topic, protocol_version: 5, qos: 1 });
  await output.start(componentContext());
  const batch = batchOf("good 1", "bad 1", "good 2", "bad 2");
  const failure = await output.write(batch).catch((error: unknown) => error);
  if (!(failure instanceof UnfitMessages)) throw failure;
  assert.equal([...failure.failures.keys()], [batch[1], batch[3]]);
  assert.ok(failure.othersDelivered);
  await output.write(batchOf("good 3"));
  assert.equal(await packets.take(3), ["good 1", "good 2", "good 3"]);
  await output.close();
  peer.off("message", keep);
});

test("a message without subscribers is accepted", async () => {
  const output = mqttOutput({ urls, topic: `open/${randomUUID()}`, protocol_version: 5 });
  await output.start(componentContext());
  await output.write(batchOf("alone"));
  await output.close();
});

test("strings that MQTT cannot encode fail their own message only", async () => {
  const long = await refusalOf({ user_properties: { long: "a".repeat(65_536) } });
  assert.match(long.message, /computed `user_properties` is not an MQTT string/);
  const nul = await refusalOf({ content_type: textOfBatch }, "a\0b");
  assert.is(nul.retryable, false);
  const topic = await refusalOf({ topic: "a".repeat(65_536) });
  assert.match(topic.message, /computed `topic` is not an MQTT topic/);
});

test("messages that the broker would disconnect for fail before they are sent, and others are sent", async () => {
  const narrow = await startMosquitto({
    configuration: ["max_packet_size 100", "retain_available false", "max_qos 1"],
  });
  const at = { urls: [narrow.address] };
  const large = await refusalOf({ ...at }, "a".repeat(100));
  assert.is(large.message, "The MQTT broker accepts no message of more than 100 bytes");
  assert.match((await refusalOf({ ...at, retained: true })).message, /does not support retained messages/);
  assert.match((await refusalOf({ ...at, qos: 2 })).message, /no quality of service above 1/);
  // A fixed header of 2 bytes, 8 of the topic, 2 of the identifier, properties of 1 + 18: 69 remain.
  const properties = { content_type: "a/b", user_properties: { ab: "cde" } };
  const context = componentContext();
  const output = mqttOutput({ ...at, topic: "open/a", protocol_version: 5, ...properties });
  await output.start(context);
  await output.write(batchOf("a".repeat(100 - 2 - 8 - 2 - 1 - 16)));
  const refused = await output.write(batchOf("a".repeat(100 - 2 - 8 - 2 - 1 - 15))).catch(String);
  assert.match(String(refused), /no message of more than 100 bytes/);
  assert.not.ok(context.lines.some(({ message }) => message.includes("lost")));
  await output.close();
  await narrow.stop();
});

test("a broker that grants a lower quality of service is logged", async () => {
  const narrow = await startMosquitto({ configuration: ["max_qos 0"] });
  const context = inputContext();
  const input = mqttInput({ urls: [narrow.address], topics: ["a"], protocol_version: 5 });
  await input.start(context);
  await until(() => context.lines.some(({ message }) => message.includes("lower quality of service")));
  await input.close();
  await narrow.stop();
});

test("no more messages are in flight than the broker or the configuration allows", async () => {
  const slow = await startMosquitto({ configuration: ["max_inflight_messages 3"] });
  const output = mqttOutput({ urls: [slow.address], topic: "a", protocol_version: 5, max_in_flight: 1 });
  await output.start(componentContext());
  await Promise.all(Array.from({ length: 20 }, () => output.write(batchOf("x"))));
  await output.close();
  const steps = () => [...slow.log().matchAll(/(Received PUBLISH|Sending PUBACK)/g)].map(([, step]) => step);
  await until(() => steps().length >= 40, { what: "the log of every packet" });
  assert.equal(steps(), Array.from({ length: 20 }, () => ["Received PUBLISH", "Sending PUBACK"]).flat());
  await slow.stop();
});

for (const version of [4, 5] as const) {
  test(`version ${version}: readers of a shared subscription share the messages`, async () => {
    const topic = `open/${randomUUID()}`;
    const options = { urls, topics: [`$share/readers/${topic}`], protocol_version: version };
    const contexts = [inputContext(), inputContext()];
    const inputs = contexts.map(() => mqttInput(options));
    for (const [index, context] of contexts.entries()) await inputs[index]?.start(context);
    for (let index = 0; index < 20; index++) await peer.publishAsync(topic, String(index), { qos: 1 });
    const all = () => contexts.flatMap(({ deliveries }) => deliveries.all.map(({ text }) => text));
    await until(() => all().length >= 20);
    assert.is(new Set(all()).size, 20);
    assert.ok(contexts.every(({ deliveries }) => deliveries.all.length > 0));
    for (const { deliveries } of contexts) for (const { confirm } of deliveries.all) confirm();
    for (const input of inputs) await input.close();
  });
}

test.run();
