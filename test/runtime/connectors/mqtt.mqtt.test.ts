import { randomUUID } from "node:crypto";
import { connectAsync } from "mqtt";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mqttInput } from "../../../runtime/connectors/mqtt/input.ts";
import { mqttOutput } from "../../../runtime/connectors/mqtt/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { mosquitto } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "./contexts.ts";

const test = suite("mqtt");
const broker = await mosquitto();
const urls = [broker.address];
const { hostname, port } = new URL(broker.address);
const peer = await connectAsync({
  host: hostname,
  port: Number(port),
  protocol: "mqtt",
  protocolVersion: 5,
});
test.after(async () => {
  await peer.endAsync();
  await broker.stop();
});

for (const version of [4, 5] as const) {
  for (const qos of [0, 1, 2] as const) {
    test(`version ${version}, quality of service ${qos}: messages arrive in order`, async () => {
      const topic = `orders/${randomUUID()}`;
      const context = inputContext();
      const input = mqttInput({ urls, topics: ["orders/+"], qos, protocol_version: version });
      await input.start(context);
      const output = mqttOutput({ urls, topic: () => topic, qos, protocol_version: version });
      await output.start(componentContext());
      const values = Array.from({ length: 200 }, (_, index) => String(index));
      const writes = values.map((value) => output.write(batchOf(value)));
      const seen: string[] = [];
      for (const _ of values) {
        const { text, confirm } = await context.deliveries.next();
        seen.push(text);
        confirm();
      }
      await Promise.all(writes);
      assert.equal(seen, values);
      const metadata = context.deliveries.all[0]?.batch[0]?.metadata;
      assert.is(metadata?.get("mqtt_topic"), topic);
      assert.is(metadata?.get("mqtt_qos"), qos);
      assert.is(metadata?.get("mqtt_retained"), false);
      assert.is(metadata?.get("mqtt_duplicate"), false);
      await input.close();
      await output.close();
      await input.close();
    });
  }
}

test("user properties and the content type of MQTT 5 become metadata", async () => {
  const topic = randomUUID();
  const context = inputContext();
  const input = mqttInput({ urls, topics: [topic], protocol_version: 5 });
  await input.start(context);
  const properties = { userProperties: { trace: "a1" }, contentType: "text/plain" };
  await peer.publishAsync(topic, "hello", { qos: 1, properties });
  const { batch, confirm } = await context.deliveries.next();
  confirm();
  assert.is(batch[0]?.metadata.get("trace"), "a1");
  assert.is(batch[0]?.metadata.get("Content-Type"), "text/plain");
  await input.close();
});

for (const qos of [1, 2] as const) {
  test(`quality of service ${qos}: an undelivered message is not acknowledged, and is redelivered`, async () => {
    const topic = randomUUID();
    const options = {
      urls,
      topics: [topic],
      qos,
      client_id: randomUUID().slice(0, 20),
      clean_session: false,
    };
    const first = inputContext();
    const dying = mqttInput(options);
    await dying.start(first);
    for (const value of ["a", "b", "c"]) await peer.publishAsync(topic, value, { qos });
    const [a, b, c] = await first.deliveries.take(3);
    a?.confirm();
    c?.confirm();
    const closed = dying.close();
    b?.refuse(new GatewayError(502, "the output is gone"));
    await closed;
    await peer.publishAsync(topic, "d", { qos });

    const second = inputContext();
    const input = mqttInput(options);
    await input.start(second);
    const again = await second.deliveries.take(3);
    // c was confirmed after b. Acknowledgements keep the order, so both b and c arrive again.
    assert.equal(
      again.map(({ text }) => text),
      ["b", "c", "d"],
    );
    assert.is(again[0]?.batch[0]?.metadata.get("mqtt_duplicate"), true);
    for (const { confirm } of again) confirm();
    await input.close();

    const third = inputContext();
    const last = mqttInput(options);
    await last.start(third);
    await peer.publishAsync(topic, "e", { qos });
    const { text, confirm } = await third.deliveries.next();
    confirm();
    assert.is(text, "e");
    await last.close();
  });
}

test("messages are delivered concurrently while the first is unacknowledged", async () => {
  const topic = randomUUID();
  const context = inputContext();
  const input = mqttInput({ urls, topics: [topic] });
  await input.start(context);
  for (let index = 0; index < 10; index++) await peer.publishAsync(topic, String(index), { qos: 1 });
  const deliveries = await context.deliveries.take(10);
  for (const { confirm } of deliveries) confirm();
  await input.close();
});

test("a rejected message is redelivered", async () => {
  const topic = randomUUID();
  const context = inputContext();
  const input = mqttInput({ urls, topics: [topic] });
  await input.start(context);
  await peer.publishAsync(topic, "bad", { qos: 1 });
  (await context.deliveries.next()).refuse(new GatewayError(502, "not now"));
  const again = await context.deliveries.next();
  assert.is(again.text, "bad");
  assert.equal(context.blocked, [true]);
  again.confirm();
  await input.close();
});

test("close waits for deliveries in flight", async () => {
  const topic = randomUUID();
  const context = inputContext();
  const input = mqttInput({ urls, topics: [topic] });
  await input.start(context);
  await peer.publishAsync(topic, "slow", { qos: 1 });
  const { confirm } = await context.deliveries.next();
  let closed = false;
  const closing = input.close().then(() => {
    closed = true;
  });
  await peer.publishAsync(topic, "round trip", { qos: 1 });
  assert.not.ok(closed);
  confirm();
  await closing;
});

test("retained messages are kept by the broker, computed topics are validated", async () => {
  const topic = randomUUID();
  const output = mqttOutput({ urls, topic: (batch) => textOfBatch(batch), retained: true });
  await output.start(componentContext());
  await output.write(batchOf(topic));
  const refused = await output.write(batchOf("a/#")).catch((error: unknown) => error);
  assert.instance(refused, GatewayError);
  assert.is(refused instanceof GatewayError && refused.retryable, false);
  await output.close();
  const context = inputContext();
  const input = mqttInput({ urls, topics: [topic] });
  await input.start(context);
  const { batch, confirm } = await context.deliveries.next();
  confirm();
  assert.is(batch[0]?.metadata.get("mqtt_retained"), true);
  await input.close();
});

test("a message larger than a packet can be fails alone", async () => {
  const output = mqttOutput({ urls, topic: `orders/${randomUUID()}` });
  const context = componentContext();
  await output.start(context);
  const write = (bytes: Uint8Array) =>
    output.write([Message.fromBytes(bytes)]).catch((error: unknown) => error);
  const small = Buffer.from("a");
  const outcomes = await Promise.all([write(small), write(Buffer.alloc(0x1000_0000)), write(small)]);
  const [, large] = outcomes;
  assert.instance(large, GatewayError);
  assert.match(String(large), /no message of more than 268435460 bytes/);
  assert.equal([outcomes[0], outcomes[2]], [{}, {}]);
  assert.equal(
    context.lines.filter(({ level }) => level === "warn"),
    [],
  );
  await output.close();
});

test("clients reconnect to a restarted broker, without duplicates, and a start without a broker fails", async () => {
  const at = await freePort();
  const place = { port: at, directory: temporaryDirectory("mosquitto"), persistence: true };
  const address = [`mqtt://127.0.0.1:${at}`];
  const output = mqttOutput({ urls: address, topic: "orders", write_timeout: 60_000 });
  const context = inputContext();
  const options = { urls: address, topics: ["orders"], client_id: "reader", clean_session: false };
  const refusal = await mqttInput(options)
    .start(inputContext())
    .catch((error: unknown) => error);
  assert.instance(refusal, GatewayError);
  assert.instance(await output.start(componentContext()).catch((error: unknown) => error), GatewayError);

  let server = await startMosquitto(place);
  const input = mqttInput(options);
  const writer = componentContext();
  await input.start(context);
  await output.start(writer);
  await output.write(batchOf("before"));
  const before = await context.deliveries.next();
  await server.stop();
  const lost = (message: string) => message === "MQTT connection lost, reconnecting";
  await until(() => [writer, context].every(({ lines }) => lines.some(({ message }) => lost(message))));
  const waiting = output.write(batchOf("during"));
  server = await startMosquitto(place);
  await waiting;
  const during = await context.deliveries.next();
  assert.is(during.text, "during");
  before.confirm();
  during.confirm();
  await input.close();
  await output.close();
  assert.equal(
    context.deliveries.all.map(({ text }) => text),
    ["before", "during"],
  );
  await server.stop();
});

test("a write times out, and is not sent later, when the broker stays unreachable", async () => {
  const server = await startMosquitto();
  const output = mqttOutput({ urls: [server.address], topic: "orders", write_timeout: 50 });
  const context = componentContext();
  await output.start(context);
  await server.stop();
  await until(() => context.lines.some(({ message }) => message === "MQTT connection lost, reconnecting"));
  const failed = await output.write(batchOf("lost")).catch((error: unknown) => error);
  assert.instance(failed, GatewayError);
  await output.close();
});

test.run();
