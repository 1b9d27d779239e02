// Problems with MQTT that users of other gateways report, tested with this one.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { connectAsync } from "mqtt";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Input } from "../../../runtime/component/component.ts";
import { mqttInput } from "../../../runtime/connectors/mqtt/input.ts";
import { mqttOutput } from "../../../runtime/connectors/mqtt/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Batch } from "../../../runtime/message/message.ts";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { freePort } from "../../harness/ports.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import {
  batchOf,
  componentContext,
  type Delivery,
  inputContext,
  type LogLine,
  outagesInto,
} from "./contexts.ts";

const test = suite("mqtt troubles");
const broker = await startMosquitto({ configuration: ["max_queued_messages 0"] });
const peer = await connectAsync(broker.address, { protocolVersion: 5 });
test.after(async () => {
  await peer.endAsync();
  await broker.stop();
});

const wasLost = ({ lines }: { lines: readonly LogLine[] }) =>
  lines.some(({ message }) => message === "MQTT connection lost, reconnecting");

/** How many times the broker answered a ping of this client. */
const pings = (id: string) => broker.log().split(`Sending PINGRESP to ${id}`).length - 1;

/** Closes an input while its remaining and repeated deliveries are confirmed. */
async function closeConfirming(input: Input, deliveries: readonly Delivery[]): Promise<void> {
  let open = true;
  const closing = input.close().then(() => {
    open = false;
  });
  await until(() => {
    for (const { confirm } of deliveries) confirm();
    return !open;
  });
  await closing;
}

for (const version of [4, 5] as const) {
  test(`version ${version}: deliveries longer than the keep-alive lose neither messages nor the connection`, async () => {
    const topic = randomUUID();
    const context = inputContext();
    const id = `slow-${version}`;
    const input = mqttInput({
      urls: [broker.address],
      topics: [topic],
      client_id: id,
      keepalive: 1,
      protocol_version: version,
    });
    await input.start(context);
    const sent = Array.from({ length: 100 }, (_, index) => String(index));
    for (const text of sent) await peer.publishAsync(topic, text, { qos: 1 });
    await context.deliveries.next();
    await until(() => pings(id) >= 3, { what: "three pings while nothing is confirmed" });
    for (let index = 0; index < sent.length; index++) {
      const delivery = await until(() => context.deliveries.all[index]);
      delivery.confirm();
    }
    assert.equal(
      context.deliveries.all.map(({ text }) => text),
      sent,
    );
    assert.not.ok(wasLost(context));
    await input.close();
  });
}

test("pings are answered under a flood of messages", async () => {
  const topic = randomUUID();
  const context = inputContext();
  const options = { urls: [broker.address], topics: [topic], client_id: "flooded", keepalive: 1, qos: 0 };
  const input = mqttInput(options);
  await input.start({ ...context, deliver: async () => ({}) });
  const payload = "x".repeat(65_536);
  await until(
    async () => {
      await Promise.all(Array.from({ length: 20 }, () => peer.publishAsync(topic, payload, { qos: 0 })));
      return pings("flooded") >= 3;
    },
    { what: "three pings in the flood" },
  );
  assert.not.ok(wasLost(context));
  await input.close();
});

for (const clean_session of [true, false]) {
  test(`reading resumes on a broker that restarts without its sessions (clean_session: ${clean_session})`, async () => {
    const place = { port: await freePort() };
    const options = { urls: [`mqtt://127.0.0.1:${place.port}`], topics: ["orders"] };
    const first = await startMosquitto(place);
    const context = inputContext();
    const input = mqttInput({ ...options, client_id: "reader", clean_session });
    await input.start(context);
    const output = mqttOutput({ ...options, topic: "orders", write_timeout: 60_000 });
    await output.start(componentContext());
    await first.stop();
    await until(() => wasLost(context));
    const second = await startMosquitto(place);
    await until(() => /Received SUBSCRIBE from reader/.test(second.log()));
    await output.write(batchOf("after"));
    const { text, confirm } = await context.deliveries.next();
    assert.is(text, "after");
    confirm();
    await input.close();
    await output.close();
    await second.stop();
  });
}

for (const version of [4, 5] as const) {
  for (const qos of [1, 2] as const) {
    const name = `version ${version}, quality of service ${qos}`;
    test(`${name}: connection resets during deliveries lose no message`, async () => {
      const topic = randomUUID();
      const proxy = await startTcpProxy(broker.port);
      const context = inputContext();
      const input = mqttInput({
        urls: [`mqtt://127.0.0.1:${proxy.port}`],
        topics: [topic],
        client_id: randomUUID().slice(0, 20),
        clean_session: false,
        protocol_version: version,
        qos,
      });
      await input.start(context);
      const sent = Array.from({ length: 60 }, (_, index) => String(index));
      for (const text of sent) await peer.publishAsync(topic, text, { qos });
      for (let cut = 1; cut <= 3; cut++) {
        const seen = context.deliveries.all.length;
        // Half of the messages are confirmed; the connection breaks before the broker has all acknowledgements.
        for (const { confirm } of context.deliveries.all.slice(0, Math.ceil(seen / 2))) confirm();
        proxy.reset();
        await until(() => proxy.connections > cut, { what: "the next connection" });
      }
      // With quality of service 1, the broker may repeat a message if it has not read the acknowledgement.
      const hasAll = () => {
        for (const { confirm } of context.deliveries.all) confirm();
        return new Set(context.deliveries.all.map(({ text }) => text)).size === sent.length;
      };
      await until(hasAll, { what: "every message" });
      await closeConfirming(input, context.deliveries.all);
      const texts = context.deliveries.all.map(({ text }) => text);
      if (qos === 2) assert.equal(texts, sent);
      else assert.equal(new Set(texts), new Set(sent));
      await proxy.close();
    });
  }
}

for (const version of [4, 5] as const) {
  for (const qos of [1, 2] as const) {
    const name = `version ${version}, quality of service ${qos}`;
    test(`${name}: inputs closed in the middle of a backlog cause no duplicates`, async () => {
      const topic = randomUUID();
      const options = {
        urls: [broker.address],
        topics: [topic],
        client_id: randomUUID().slice(0, 20),
        clean_session: false,
        protocol_version: version,
        qos,
      };
      const arrived: string[] = [];
      const deliver = async ([message]: Batch) => {
        await nextTurn();
        arrived.push(String(message && Buffer.from(message.bytes())));
        return {};
      };
      const readUntil = async (count: number) => {
        const context = inputContext();
        const input = mqttInput(options);
        await input.start({ ...context, deliver });
        await until(() => arrived.length >= count, { what: `${count} messages` });
        await input.close();
        assert.not.ok(wasLost(context));
      };
      await readUntil(0); // creates the session
      const writer = await connectAsync(broker.address);
      // More than the receive maximum that the MQTT 5 client announces: Mosquitto 2.0.11 delivers all of it.
      const sent = Array.from({ length: 3000 }, (_, index) => String(index));
      // Mosquitto drops messages with quality of service 2 beyond its limit.
      for (let first = 0; first < sent.length; first += 20) {
        await Promise.all(
          sent.slice(first, first + 20).map((text) => writer.publishAsync(topic, text, { qos })),
        );
      }
      await writer.endAsync();
      for (const count of [200, 1500, sent.length]) await readUntil(count);
      assert.is(arrived.length, sent.length, "nothing comes twice");
      assert.equal(new Set(arrived), new Set(sent));
    });
  }
}

test("a frozen connection is detected on both sides", async () => {
  const proxy = await startTcpProxy(broker.port);
  const urls = [`mqtt://127.0.0.1:${proxy.port}`];
  const topic = randomUUID();
  const [reader, writer] = [inputContext(), componentContext()];
  const input = mqttInput({ urls, topics: [topic], keepalive: 1 });
  const output = mqttOutput({ urls, topic, keepalive: 1, write_timeout: 60_000 });
  await input.start(reader);
  await output.start(writer);
  proxy.freeze();
  const failed = await output.write(batchOf("into the void")).catch((error: unknown) => error);
  assert.instance(failed, GatewayError);
  assert.match(String(failed), /connection to the MQTT broker was lost/);
  await until(() => wasLost(reader) && proxy.connections >= 4, { what: "both to connect again" });
  await until(() => reader.lines.at(-1)?.message === "connected to MQTT again");
  const { text } = await until(async () => {
    await output.write(batchOf("again"));
    return reader.deliveries.all[0];
  });
  assert.is(text, "again");
  await closeConfirming(input, reader.deliveries.all);
  await output.close();
  await proxy.close();
});

/** Starts a broker without limits, publishes 32 MiB for a reader, and starts the reader, which has taken what it may hold. */
async function heldBack() {
  const unbounded = await startMosquitto({
    configuration: ["max_inflight_messages 0", "max_queued_messages 0", "max_queued_bytes 0"],
  });
  const proxy = await startTcpProxy(unbounded.port);
  const context = inputContext();
  const input = mqttInput({
    urls: [`mqtt://127.0.0.1:${proxy.port}`],
    topics: ["large"],
    client_id: "reader",
    clean_session: false,
    keepalive: 1,
    qos: 1,
  });
  await input.start(context);
  const writer = await connectAsync(unbounded.address);
  const sent = Array.from({ length: 32 }, (_, index) => String(index).padEnd(2 ** 20, "."));
  for (const text of sent) await writer.publishAsync("large", text, { qos: 1 });
  const arrived = () => context.deliveries.all.map(({ text }) => Number.parseInt(text, 10));
  await until(() => arrived().length > 2);
  return {
    ...{ input, context, proxy, arrived, sent: sent.map((_, index) => index) },
    pings: () => unbounded.log().split("Received PINGREQ from reader").length - 1,
    /** Confirms each delivery `gap` milliseconds after the previous one, or later. */
    async confirmAll(gap = 0) {
      for (let index = 0; index < sent.length; index++) {
        const delivery = await until(() => context.deliveries.all[index], { what: `message ${index}` });
        if (gap > 0) await pause(gap);
        delivery.confirm();
      }
    },
    async stop() {
      await writer.endAsync();
      await input.close();
      await proxy.close();
      await unbounded.stop();
    },
  };
}

test("a flood that the broker does not limit is not read beyond the buffer, and the connection stays open", async () => {
  const { context, pings: pinged, arrived, sent, confirmAll, stop } = await heldBack();
  const before = pinged();
  await until(() => pinged() >= before + 4, { what: "four pings while nothing can be read" });
  assert.ok(arrived().length < 8, "no more than 4 MiB are taken");
  await confirmAll();
  assert.equal(arrived(), sent);
  assert.not.ok(wasLost(context));
  await stop();
});

test("a connection read in small steps stays open, with ping responses far behind", async () => {
  const { context, arrived, sent, confirmAll, stop } = await heldBack();
  await confirmAll(150);
  assert.equal(arrived(), sent);
  assert.not.ok(wasLost(context));
  await stop();
});

test("a connection lost while reading is paused is re-established, and no message is lost", async () => {
  const { input, context, proxy, arrived, sent, stop } = await heldBack();
  proxy.reset();
  await until(() => context.lines.at(-1)?.message === "connected to MQTT again");
  // A message that is confirmed before the broker repeats it arrives again.
  await until(() => {
    for (const { confirm } of context.deliveries.all) confirm();
    return sent.every((number) => arrived().includes(number));
  });
  await closeConfirming(input, context.deliveries.all);
  await stop();
});

test("an input and an output closed while they reconnect leave no pending connection attempt", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const proxy = await startTcpProxy(broker.port);
  const options = { urls: [`mqtt://127.0.0.1:${proxy.port}`], keepalive: 0 };
  const input = mqttInput({ ...options, topics: [randomUUID()] });
  const output = mqttOutput({ ...options, topic: randomUUID() });
  await input.start(inputContext());
  await output.start(componentContext());
  proxy.hold();
  proxy.reset();
  await until(() => proxy.connections === 4, { what: "two connections that the broker does not answer" });
  await Promise.all([input.close(), output.close()]);
  await proxy.close();
  await until(() => timers() === before, { what: "the end of every timer" });
  assert.is(proxy.connections, 4);
});

test("an input closes while it applies back-pressure to its broker", async () => {
  const { input, context, stop } = await heldBack();
  await closeConfirming(input, context.deliveries.all);
  await stop();
});

for (const version of [4, 5] as const) {
  test(`version ${version}: another client with the same id is a warning once, with the remedy`, async () => {
    const id = `twice-${version}`;
    const reports: (string | undefined)[] = [];
    const context = { ...inputContext(), beginOutage: outagesInto(reports) };
    const input = mqttInput({
      urls: [broker.address],
      topics: [randomUUID()],
      client_id: id,
      protocol_version: version,
    });
    await input.start(context);
    const rival = await connectAsync(broker.address, {
      clientId: id,
      protocolVersion: version,
      reconnectPeriod: 10,
    });
    const named = () => context.lines.filter(({ message }) => message.includes("lost to another client"));
    await until(() => named().length >= 2, { what: "two connections lost to the rival" });
    const [first, ...others] = named();
    assert.is(first?.level, "warn");
    assert.match(String(first?.fields.reason), `\`${id}\``);
    assert.match(String(first?.fields.remedy), "dynamic_client_id_suffix: nanoid");
    assert.ok(others.every(({ level }) => level === "debug"));
    assert.ok(reports.some((reason) => reason?.includes(`\`${id}\``)));
    await rival.endAsync();
    await until(() => reports.at(-1) === undefined, { what: "a connection that stays" });
    await input.close();
  });
}

test("a message is given up after one failure without auto_replay_nacks", async () => {
  const topic = randomUUID();
  const context = inputContext();
  const input = mqttInput({ urls: [broker.address], topics: [topic], auto_replay_nacks: false });
  await input.start(context);
  for (const text of ["bad", "good"]) await peer.publishAsync(topic, text, { qos: 1 });
  const [bad, good] = await context.deliveries.take(2);
  bad?.refuse(new GatewayError(502, "no"));
  good?.confirm();
  await input.close();
  assert.is(context.deliveries.all.length, 2);
});

test("a rejected subscription fails the start, and is reported and retried after a reconnection", async () => {
  // Mosquitto refuses subscriptions only with a plugin; this broker implements just enough of MQTT 3.1.1.
  const verdicts = [0x80, 1, 0x80, 1];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (bytes[0] === 0x10) socket.write(Buffer.from([0x20, 2, 0, 0]));
      if (bytes[0] !== 0x82) return;
      const [high = 0, low = 0] = bytes.subarray(2);
      socket.write(Buffer.from([0x90, 3, high, low, verdicts.shift() ?? 1]));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const options = { urls: [`mqtt://127.0.0.1:${port}`], topics: ["closed"] };
  const refused = await mqttInput(options)
    .start(inputContext())
    .catch((error: unknown) => error);
  assert.is(
    refused instanceof GatewayError && refused.message,
    "The MQTT broker refused the subscription: Unspecified error (128)",
  );

  const reports: (string | undefined)[] = [];
  const context = {
    ...inputContext(),
    beginOutage: outagesInto(reports),
  };
  const input = mqttInput(options);
  await input.start(context);
  for (const socket of sockets) socket.resetAndDestroy();
  await until(() => verdicts.length === 0 && reports.at(-1) === undefined && reports.length >= 4);
  assert.equal(reports, [
    "the connection to MQTT is lost",
    undefined,
    "The MQTT broker refused the subscription: Unspecified error (128)",
    undefined,
  ]);
  for (const socket of sockets) socket.destroy();
  server.close();
  await input.close();
});

test("a connection lost before the subscription is granted fails the start with that reason", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (bytes[0] === 0x10) socket.write(Buffer.from([0x20, 2, 0, 0]));
      else socket.destroy();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const failure = await mqttInput({ urls: [`mqtt://127.0.0.1:${port}`], topics: ["lost"] })
    .start(inputContext())
    .catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  assert.match(String(failure), /did not confirm the subscription/);
  server.close();
});

test.run();
