import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { InputContext } from "../../../runtime/component/component.ts";
import { createRedelivery } from "../../../runtime/component/redelivery.ts";
import { MappingError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { boundaryOf, parseMultipart } from "../../../runtime/message/multipart.ts";
import { type SseClient, sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { socket, UpgradeRefused } from "../../harness/websocket-client.ts";
import { type LogLine, recordingLogger } from "../connectors/contexts.ts";
import type { ManualInput } from "../gateway/components.ts";
import { type Consuming, consuming } from "./consuming.ts";

function contextOf({ context }: ManualInput): InputContext {
  if (context === undefined) throw new Error("the input was not started");
  return context;
}

function running(gateway: Consuming, clients = 1): Promise<unknown> {
  return until(() => gateway.status() === "running" && gateway.clients() === clients, {
    what: "running clients",
  });
}

/** Opens a connection that requests `path` and never reads. */
async function silentClient(gateway: Consuming, path: string, accept = "text/event-stream"): Promise<Socket> {
  const client = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  await once(client, "connect");
  client.pause();
  client.write(`GET /orders${path} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\n\r\n`);
  return client;
}

test("the head of an event stream is sent immediately, with headers for browsers and proxies", async () => {
  const gateway = await consuming({ path: "/events" });
  const client = await sse(gateway.at("/events"));
  const { headers } = client.response;
  assert.is(headers.get("content-type"), "text/event-stream");
  assert.is(headers.get("cache-control"), "no-cache, no-transform");
  assert.is(headers.get("x-accel-buffering"), "no");
  await running(gateway);
  await gateway.input.deliver("one\ntwo");
  assert.is((await client.next()).data, "one\ntwo");
  client.close();
  await gateway.close();
});

test("three event streams share messages in exact rotation", async () => {
  const gateway = await consuming({ path: "/events" });
  const clients: SseClient[] = [];
  for (let count = 1; count <= 3; count += 1) {
    clients.push(await sse(gateway.at("/events")));
    await running(gateway, count);
  }
  const numbers = Array.from({ length: 300 }, (_, index) => String(index));
  await Promise.all(numbers.map((number) => gateway.input.deliver(number)));
  for (const [position, client] of clients.entries()) {
    const expected = numbers.filter((number) => Number(number) % 3 === position);
    assert.equal(await client.take(100), expected);
  }
  await gateway.close();
  await Promise.all(clients.map(({ ended }) => ended));
});

test("frames have the configured type, or by default the one that fits their content", async () => {
  const bytes = Buffer.from("text");
  for (const [options, expected] of [
    [{}, "text"],
    [{ ws_message_type: "text" }, "text"],
    [{ ws_message_type: "binary" }, bytes],
  ] as const) {
    const gateway = await consuming({ ws_path: "/socket", ...options });
    const frames = await socket(gateway.at("/socket"));
    await running(gateway, 1);
    await gateway.input.deliver("text");
    assert.equal(await frames.next(), expected);
    await frames.close();
    await gateway.close();
  }
});

test("clients of different kinds share the rotation", async () => {
  const gateway = await consuming({ path: "/events" });
  const stream = await sse(gateway.at("/events"));
  await running(gateway, 1);
  const frames = await socket(gateway.at("/events"));
  await running(gateway, 2);
  const single = fetch(gateway.at("/events"));
  await running(gateway, 3);
  await gateway.input.deliver("a", "b", "c");
  assert.is((await stream.next()).data, "a");
  assert.is(await frames.next(), "b");
  assert.is(await (await single).text(), "c");
  await running(gateway, 2);
  await gateway.input.deliver("d", "e");
  assert.equal([(await stream.next()).data, await frames.next()], ["d", "e"]);
  await gateway.close();
});

test("a plain request gets one message with its type, or 408", async () => {
  const gateway = await consuming({ path: "/next", timeout: 60_000 });
  const answer = fetch(gateway.at("/next"));
  await running(gateway);
  const typed = new Map([["Content-Type", "application/json"]]);
  await gateway.input.context?.deliver([Message.fromText('{"a":1}', typed)]);
  const response = await answer;
  assert.equal([response.status, response.headers.get("content-type")], [200, "application/json"]);
  assert.is(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(await response.json(), { a: 1 });
  await gateway.close();
  const hasty = await consuming({ path: "/next", timeout: 10 });
  const late = await fetch(hasty.at("/next"));
  assert.equal([late.status, await late.json()], [408, { error: "There was no message within 0.01 s" }]);
  await until(() => hasty.clients() === 0);
  await hasty.close();
});

test("a plain request gets a whole batch, in an accepted format", async () => {
  const gateway = await consuming({ path: "/next" });
  const typed = (text: string, type: string) => Message.fromText(text, new Map([["Content-Type", type]]));
  const batch = [typed('{"a":1}', "application/json"), Message.fromText("2"), typed("3", "text/plain")];
  for (const [accept, type, expected] of [
    ["*/*", "multipart/form-data", 'application/json={"a":1} application/octet-stream=2 text/plain=3'],
    [
      "multipart/mixed",
      "multipart/mixed",
      'application/json={"a":1} application/octet-stream=2 text/plain=3',
    ],
    ["application/json", "application/json", '[{"a":1},2,3]'],
  ] as const) {
    const answer = fetch(gateway.at("/next"), { headers: { accept } });
    await running(gateway);
    const delivered = gateway.input.context?.deliver(batch);
    const response = await answer;
    const said = response.headers.get("content-type") ?? "";
    const body = Buffer.from(await response.arrayBuffer());
    const parts = parseMultipart(body, boundaryOf(said) ?? "");
    assert.is(said.split(";")[0], type);
    assert.is(
      parts?.map(({ contentType, content }) => `${contentType}=${content}`).join(" ") ?? String(body),
      expected,
    );
    await delivered;
    await until(() => gateway.clients() === 0);
  }
  await gateway.close();
});

test("a batch is acknowledged once its response is written, and until then goes whole to another client", async () => {
  const gateway = await consuming({ path: "/next", write_wait: 4_000 });
  const stuck = await silentClient(gateway, "/next", "*/*");
  await running(gateway);
  const large = "x".repeat(8 << 20);
  let isDelivered = false;
  const delivered = gateway.input.deliver("first", large, "last").then(() => {
    isDelivered = true;
  });
  const answer = fetch(gateway.at("/next"));
  await running(gateway, 2);
  assert.not(isDelivered);
  stuck.destroy();
  const response = await answer;
  const body = Buffer.from(await response.arrayBuffer());
  const parts = parseMultipart(body, boundaryOf(response.headers.get("content-type") ?? "") ?? "");
  assert.equal(
    parts?.map(({ content }) => content.length),
    [5, large.length, 4],
  );
  await delivered;
  await gateway.close();
});

test("a plain request gets the rest of a batch that earlier clients have started", async () => {
  const gateway = await consuming({ path: "/events" });
  const stream = await sse(gateway.at("/events"));
  await running(gateway, 1);
  const single = fetch(gateway.at("/events"), { headers: { accept: "application/json" } });
  await running(gateway, 2);
  await gateway.input.deliver("1", "2", "3");
  assert.is((await stream.next()).data, "1");
  assert.is(await (await single).text(), "[2,3]");
  await gateway.close();
});

test("only written endpoints exist, and each path is of one kind", async () => {
  const gateway = await consuming({ path: "/one", stream_path: "/stream", ws_path: "/socket", timeout: 10 });
  for (const path of ["/get", "/get/stream", "/get/ws", "/"]) {
    assert.is((await fetch(gateway.at(path))).status, 404, path);
  }
  assert.is((await fetch(gateway.at("/one"), { headers: { accept: "text/event-stream" } })).status, 408);
  const plain = await fetch(gateway.at("/socket"));
  assert.equal([plain.status, plain.headers.get("upgrade")], [426, "websocket"]);
  for (const path of ["/one", "/stream", "/other"]) {
    try {
      await socket(gateway.at(path));
      assert.unreachable(path);
    } catch (error) {
      assert.instance(error, UpgradeRefused, path);
      assert.is((error as UpgradeRefused).status, 404, path);
    }
  }
  await gateway.close();
});

test("allowed_verbs is enforced; a response to HEAD consumes no message", async () => {
  const gateway = await consuming({ path: "/next", allowed_verbs: ["POST", "HEAD"] });
  const refused = await fetch(gateway.at("/next"));
  assert.equal([refused.status, refused.headers.get("allow")], [405, "POST, HEAD"]);
  assert.is((await fetch(gateway.at("/next"), { method: "HEAD" })).status, 200);
  assert.is(gateway.clients(), 0);
  const answer = fetch(gateway.at("/next"), { method: "POST", body: "ignored" });
  await running(gateway);
  await gateway.input.deliver("a");
  assert.is(await (await answer).text(), "a");
  await gateway.close();
});

test("raw_bytes writes messages and line breaks", async () => {
  const gateway = await consuming({ stream_path: "/raw", stream_format: "raw_bytes" });
  const response = await fetch(gateway.at("/raw"));
  await running(gateway);
  await gateway.input.deliver("a", "b");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.length < 4) text += (await reader?.read())?.value ?? "";
  assert.is(text, "a\nb\n");
  await gateway.close();
});

test("idle event streams get heartbeats and stay open", async () => {
  const gateway = await consuming({ path: "/events", heartbeat: 5 });
  const client = await sse(gateway.at("/events"));
  await until(() => client.comments.length >= 3);
  assert.equal(new Set(client.comments), new Set(["heartbeat"]));
  await running(gateway);
  await gateway.input.deliver("a");
  assert.is((await client.next()).data, "a");
  client.close();
  await gateway.close();
});

test("undelivered messages of a disconnected client go to the next one", async () => {
  const gateway = await consuming({ path: "/events" });
  const silent = await silentClient(gateway, "/events");
  await running(gateway);
  // More than the kernel buffers for a client that does not read, so the last message is still in the gateway.
  const large = "x".repeat(1024 * 1024);
  const deliveries = Array.from({ length: 16 }, (_, index) => gateway.input.deliver(`${index} ${large}`));
  await until(() => (gateway.streams.states()[0]?.messages.delivered ?? 0) > 0);
  assert.ok((gateway.streams.states()[0]?.messages.inFlight ?? 0) > 0);
  const stream = await sse(gateway.at("/events"));
  silent.destroy();
  await Promise.all(deliveries);
  // The silent client held at least one message. It arrives among those that waited, and each arrives once.
  const got = () => stream.events.map(({ data }) => Number.parseInt(data, 10)).sort((a, b) => a - b);
  await until(() => got().at(-1) === 15 && got().length >= 16 - (got()[0] ?? 16));
  const first = got()[0] ?? 16;
  assert.equal(
    got(),
    Array.from({ length: 16 - first }, (_, index) => first + index),
  );
  stream.close();
  await gateway.close();
});

test("a slow client delays only its own messages, and loses them when it reads nothing", async () => {
  const gateway = await consuming({ path: "/events", write_wait: 4_000 });
  const silent = await silentClient(gateway, "/events");
  await running(gateway);
  const stream = await sse(gateway.at("/events"));
  await running(gateway, 2);
  const large = "x".repeat(1024 * 1024);
  await Promise.all(Array.from({ length: 32 }, () => gateway.input.deliver(large)));
  await until(() => gateway.clients() === 1, { what: "the end of the silent client" });
  await until(() => stream.events.length > 16, { what: "more than half of the messages" });
  silent.destroy();
  await gateway.close();
});

test("a message goes to another client when a plain request does not read its response", async () => {
  // The message waits for the second client, however long that takes to connect.
  const gateway = await consuming(
    { path: "/one", stream_path: "/events", write_wait: 4_000 },
    { demandGrace: 3_600_000 },
  );
  const stuck = await silentClient(gateway, "/one");
  await running(gateway);
  const large = "x".repeat(8 << 20);
  const delivered = gateway.input.deliver(large);
  const other = await sse(gateway.at("/events"));
  assert.is((await other.next()).data, large);
  await delivered;
  stuck.destroy();
  await gateway.close();
});

test("a short message that waits behind unread responses goes to another client", async () => {
  const gateway = await consuming(
    { path: "/one", stream_path: "/events", write_wait: 4_000 },
    { demandGrace: 3_600_000 },
  );
  const stuck = await silentClient(gateway, "/one");
  const count = 3_000;
  stuck.write("GET /orders/one HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count));
  await running(gateway);
  // More than the kernel buffers for a client that does not read.
  const deliveries = Array.from({ length: count }, (_, index) =>
    gateway.input.deliver(`${index} ${"x".repeat(4_000)}`),
  );
  await until(() => gateway.clients() === 0, { what: "the end of the silent client" });
  const other = await sse(gateway.at("/events"));
  await Promise.all(deliveries);
  await until(() => other.events.at(-1)?.data.startsWith(`${count - 1} `) === true, { what: "the last one" });
  const got = other.events.map(({ data }) => Number.parseInt(data, 10));
  const [first = 0] = got;
  assert.ok(first > 0);
  assert.equal(
    got,
    Array.from({ length: count - first }, (_, index) => first + index),
  );
  other.close();
  stuck.destroy();
  await gateway.close();
});

test("the input starts with the first client and stops after the last", async () => {
  const gateway = await consuming({ path: "/events" });
  await until(() => gateway.status() === "waiting");
  assert.is((await fetch(`${gateway.admin}/readyz`)).status, 200);
  assert.is(gateway.inputs[0]?.starts, 0);
  const first = await sse(gateway.at("/events"));
  await running(gateway);
  first.close();
  await until(() => gateway.status() === "waiting");
  const second = await sse(gateway.at("/events"));
  await running(gateway);
  assert.is(gateway.inputs.filter(({ starts }) => starts === 1).length, 2);
  await gateway.input.deliver("a");
  assert.is((await second.next()).data, "a");
  await gateway.close();
});

test("messages that wait when the last client leaves are rejected, so that the broker redelivers them", async () => {
  const gateway = await consuming({ path: "/events" });
  const client = await sse(gateway.at("/events"));
  await running(gateway);
  const { input } = gateway;
  client.close();
  await until(() => gateway.clients() === 0);
  try {
    await input.deliver("a");
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), "No client is connected");
  }
  await until(() => gateway.status() === "waiting");
  await gateway.close();
});

test("closing ends event streams and sockets cleanly, after messages in flight", async () => {
  const gateway = await consuming({ stream_path: "/events", ws_path: "/socket" });
  const stream = await sse(gateway.at("/events"));
  await running(gateway, 1);
  const frames = await socket(gateway.at("/socket"));
  await running(gateway, 2);
  const single = gateway.input.deliver("a", "b");
  await gateway.close();
  await single;
  assert.is((await stream.next()).data, "a");
  await stream.ended;
  assert.is(await frames.next(), "b");
  assert.equal(await frames.ended, { code: 1001, reason: "gateway is closing" });
});

test("messages waiting after the last client left return to the source, and are not failures", async () => {
  const log: LogLine[] = [];
  const gateway = await consuming({ path: "/events" }, { log: recordingLogger(log) });
  const client = await sse(gateway.at("/events"));
  await running(gateway);
  // The stream may have stopped its input by the time that the client is seen to have left.
  const context = contextOf(gateway.input);
  client.close();
  await until(() => gateway.clients() === 0);
  const outcome = await createRedelivery(context).deliver([Message.fromText("a")], context.signal);
  assert.is(outcome, undefined, "it was not delivered");
  await until(() => gateway.status() === "waiting");
  assert.is(gateway.streams.states()[0]?.messages.failed, 0);
  assert.ok(log.some(({ message }) => message === "stream waiting"));
  assert.equal(
    log.filter(({ level }) => level === "warn" || level === "error"),
    [],
  );
  await gateway.close();
});

test("closing with messages but no clients does not wait", async () => {
  const gateway = await consuming({ path: "/events" }, { demandGrace: 3_600_000 });
  const client = await sse(gateway.at("/events"));
  await running(gateway);
  client.close();
  await until(() => gateway.clients() === 0);
  const waiting = gateway.input.deliver("a").catch((error: Error) => error.message);
  await until(() => gateway.streams.states()[0]?.messages.inFlight === 1);
  await gateway.close();
  assert.is(await waiting, "No client is connected");
});

test("a permanent failure does not reach clients", async () => {
  const gateway = await consuming({ path: "/events" });
  const client = await sse(gateway.at("/events"));
  await running(gateway);
  const flagged = Message.fromText("bad").withFailure(new MappingError("bad"));
  const refused = gateway.input.context?.deliver([flagged]).catch((error: Error) => error.message);
  assert.is(await refused, "bad");
  await gateway.input.deliver("good");
  assert.is((await client.next()).data, "good");
  await gateway.close();
});

test.run();
