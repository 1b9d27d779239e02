import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered, Input, Output } from "../../../runtime/component/component.ts";
import { report } from "../../../runtime/component/deliver-each.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { websocketServerInput } from "../../../runtime/connectors/websocket-server/input.ts";
import { websocketServerOutput } from "../../../runtime/connectors/websocket-server/output.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { trustedProxies } from "../../../runtime/http/listener/trusted-proxies.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { inputWithBatching, outputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { connectionOf, type SocketClient, socket, UpgradeRefused } from "../../harness/websocket-client.ts";
import { each, manualInput, memoryOutput, textOf } from "../gateway/components.ts";
import { ordersApi, startGateway, type TestGateway } from "../gateway/start-gateway.ts";
import { consuming } from "./consuming.ts";

const bad = each((message) =>
  textOf(message) === "bad" ? message.withFailure(new MappingError("number expected")) : message,
);

async function serving(input: () => Input, output: () => Output, maxFrameBytes = 2000): Promise<TestGateway> {
  const intake = () => ({ input: input(), pipeline: [bad], output: output() });
  const gateway = await startGateway([ordersApi({ intake })], { limits: { max_frame_bytes: maxFrameBytes } });
  await until(() => gateway.streams.unready().length === 0);
  return gateway;
}

async function refusal(connecting: Promise<SocketClient>): Promise<number> {
  try {
    await connecting;
  } catch (error) {
    assert.instance(error, UpgradeRefused);
    return (error as UpgradeRefused).status;
  }
  throw new Error("the socket was opened");
}

for (const [name, input] of [
  ["http_server", () => httpServerInput({ ws_path: "/in" })],
  ["websocket_server", () => websocketServerInput({ path: "/in" })],
] as const) {
  test(`${name}: each frame is one message, in order, with metadata of the handshake`, async () => {
    const output = memoryOutput();
    const gateway = await serving(input, () => output);
    const client = await socket(`${gateway.url}/orders/in?room=7`, {
      headers: { "x-trace": "t", cookie: "a=b" },
    });
    const texts = Array.from({ length: 500 }, (_, index) => `message ${index}`);
    for (const text of texts) await client.send(text);
    await client.send(Buffer.of(0, 255));
    await until(() => output.texts.length === 501);
    assert.equal(output.texts.slice(0, 500), texts);
    const last = output.batches.at(-1)?.[0];
    assert.equal([...(last?.bytes() ?? [])], [0, 255]);
    assert.equal(
      ["X-Trace", "room", "a", "http_server_request_path"].map((key) => last?.metadata.get(key)),
      ["t", "7", "b", "/orders/in"],
    );
    await gateway.close();
    assert.is((await client.ended).code, 1001);
  });
}

test("a frame with a retryable failure is retried, and the stream is blocked meanwhile", async () => {
  let away = true;
  const output = memoryOutput(() => {
    if (away) throw new GatewayError(502, "Broker is away");
    return {};
  });
  const gateway = await serving(
    () => websocketServerInput({ path: "/in" }),
    () => output,
  );
  const client = await socket(`${gateway.url}/orders/in`);
  await client.send("a");
  await until(() => gateway.streams.states()[0]?.status === "blocked");
  await client.close();
  away = false;
  await until(() => gateway.streams.states()[0]?.status === "running");
  assert.is(gateway.streams.states()[0]?.messages.delivered, 1);
  await gateway.close();
});

test("a frame with a permanent failure closes its socket with 1008", async () => {
  const output = memoryOutput();
  const gateway = await serving(
    () => websocketServerInput({ path: "/in" }),
    () => output,
  );
  const client = await socket(`${gateway.url}/orders/in`);
  await client.send("good");
  await client.send("bad");
  assert.equal(await client.ended, { code: 1008, reason: "message was not delivered" });
  assert.equal(output.texts, ["good"]);
  await gateway.close();
});

test("back-pressure stops a sender that is faster than the output", async () => {
  const confirmed = Promise.withResolvers<Delivered>();
  const output = memoryOutput(() => confirmed.promise);
  const gateway = await serving(
    () => websocketServerInput({ path: "/in" }),
    () => output,
    1_000_000,
  );
  const client = await socket(`${gateway.url}/orders/in`);
  const large = "x".repeat(500_000);
  for (let count = 0; count < 200; count += 1) client.socket.send(large);
  await until(() => output.batches.length >= 64);
  // The receiver stops at a frame; nothing arrives while nothing is confirmed.
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  const held = output.batches.length;
  assert.ok(held < 200, `${held} frames were taken`);
  assert.ok(client.socket.bufferedAmount > 0);
  confirmed.resolve({});
  await until(() => output.batches.length === 200);
  await gateway.close();
});

test("a frame over the limit closes its socket with 1009", async () => {
  const gateway = await serving(
    () => websocketServerInput({ path: "/in" }),
    () => memoryOutput(),
    100,
  );
  const client = await socket(`${gateway.url}/orders/in`);
  await client.send("x".repeat(101));
  assert.is((await client.ended).code, 1009);
  await gateway.close();
});

test("the stream's response is sent on the socket", async () => {
  const echo = () => memoryOutput((batch: Batch) => ({ response: batch }));
  const gateway = await serving(() => httpServerInput({ ws_path: "/in" }), echo);
  const client = await socket(`${gateway.url}/orders/in`);
  await client.send("hello");
  assert.is(await client.next(), "hello");
  await gateway.close();
});

test("frames that arrive together are written together, and each has its own outcome", async () => {
  const written: string[][] = [];
  const memory = memoryOutput(async ([message]) => {
    if (message !== undefined && textOf(message) === "refused") throw new MappingError("never");
    return {};
  });
  const output = (): Output => ({
    ...memory,
    writeEach(messages, listener) {
      written.push(messages.map(textOf));
      for (const [index, message] of messages.entries()) report(memory.write([message]), index, listener);
    },
  });
  const gateway = await startGateway([
    ordersApi({ intake: () => ({ input: websocketServerInput({ path: "/in" }), output: output() }) }),
  ]);
  await until(() => gateway.streams.unready().length === 0);
  const [client, other] = await Promise.all([
    socket(`${gateway.url}/orders/in`),
    socket(`${gateway.url}/orders/in`),
  ]);
  connectionOf(client).cork();
  for (const text of ["a", "b", "refused", "c"]) client.socket.send(text);
  connectionOf(client).uncork();
  assert.equal(await client.ended, { code: 1008, reason: "message was not delivered" });
  assert.equal(written, [["a", "b", "refused", "c"]]);
  await other.send("d");
  await until(() => memory.texts.includes("d"));
  assert.is(gateway.streams.states()[0]?.messages.delivered, 4);
  await gateway.close();
});

test("frames that are collected into one batch each get their own reply", async () => {
  const batches: string[][] = [];
  const echo = memoryOutput((batch) => {
    batches.push(batch.map(textOf));
    return { response: batch };
  });
  for (const place of ["input", "output"] as const) {
    const input = websocketServerInput({ path: "/in" });
    const policy = { count: 4 };
    const gateway = await startGateway([
      ordersApi({
        intake: () =>
          place === "input"
            ? { input: inputWithBatching(input, policy), output: echo }
            : { input, output: outputWithBatching(echo, policy) },
      }),
    ]);
    await until(() => gateway.streams.unready().length === 0);
    const clients = await Promise.all([1, 2].map(() => socket(`${gateway.url}/orders/in`)));
    for (const [index, client] of clients.entries()) {
      connectionOf(client).cork();
      for (const text of ["a", "b"]) client.socket.send(`${text} of ${index}`);
      connectionOf(client).uncork();
    }
    for (const [index, client] of clients.entries())
      assert.equal(await client.take(2), [`a of ${index}`, `b of ${index}`]);
    assert.is(batches.splice(0).flat().length, 4);
    await gateway.close();
  }
});

test("back-pressure stops a sender that reads no replies, until it reads", async () => {
  let taken = 0;
  const echo = () =>
    memoryOutput((batch: Batch) => {
      taken += 1;
      return { response: batch };
    });
  const gateway = await serving(() => httpServerInput({ ws_path: "/in" }), echo, 1_000_000);
  const client = await socket(`${gateway.url}/orders/in`);
  const other = await socket(`${gateway.url}/orders/in`);
  client.socket.pause();
  const large = "x".repeat(500_000);
  for (let count = 0; count < 400; count += 1) client.socket.send(large);
  await until(() => taken >= 64);
  for (let turn = 0; turn < 50; turn += 1) {
    await other.send("hello");
    assert.is(await other.next(), "hello");
  }
  assert.ok(taken < 400, `${taken} frames were taken`);
  client.socket.resume();
  assert.is((await client.take(400)).length, 400);
  await gateway.close();
});

test("one socket serves the input and the output of a stream that share a path", async () => {
  const gateway = await serving(
    () => websocketServerInput({ path: "/chat" }),
    () => websocketServerOutput({ path: "/chat", welcome_message: "welcome" }),
  );
  const [a, b] = [await socket(`${gateway.url}/orders/chat`), await socket(`${gateway.url}/orders/chat`)];
  assert.equal([await a.next(), await b.next()], ["welcome", "welcome"]);
  await a.send("1");
  await a.send("2");
  assert.equal([await a.next(), await b.next()], ["1", "2"]);
  await b.send("x".repeat(1500)); // more than a client that only receives may send
  assert.is(await a.next(), "x".repeat(1500));
  await gateway.close();
  assert.equal([(await a.ended).code, (await b.ended).code], [1001, 1001]);
});

test("a plain request to a socket path is 426, invalid handshakes get an error response", async () => {
  const gateway = await serving(
    () => websocketServerInput({ path: "/in" }),
    () => memoryOutput(),
  );
  assert.is((await fetch(`${gateway.url}/orders/in`)).status, 426);
  const headers = { connection: "upgrade", upgrade: "websocket" }; // without a key
  const [answer] = await once(request(`${gateway.url}/orders/in`, { headers }).end(), "response");
  assert.equal([answer.statusCode, await text(answer)], [400, '{"error":"Not a WebSocket handshake"}']);
  const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "12" };
  const old = request(`${gateway.url}/orders/in`, { headers: { ...headers, ...key } }).end();
  const [unknown] = await once(old, "response");
  assert.equal([unknown.statusCode, unknown.headers["sec-websocket-version"]], [426, "13"]);
  assert.is(await refusal(socket(`${gateway.url}/orders/other`)), 404);
  await gateway.close();
});

test("pages of other hosts may connect only if their origin is allowed", async () => {
  const from = (gateway: TestGateway, origin: string) => socket(`${gateway.url}/orders/in`, { origin });
  const own = await serving(
    () => websocketServerInput({ path: "/in" }),
    () => memoryOutput(),
  );
  assert.is(await refusal(from(own, "http://evil.example")), 403);
  assert.is(await refusal(from(own, "null")), 403);
  await from(own, own.url);
  await own.close();
  const allowed_origins = ["https://app.example"];
  const listed = await serving(
    () => websocketServerInput({ path: "/in", allowed_origins }),
    () => memoryOutput(),
  );
  await from(listed, "https://app.example");
  assert.is(await refusal(from(listed, "http://app.example")), 403);
  assert.is(await refusal(from(listed, listed.url)), 403);
  await listed.close();
  const open = await serving(
    () => websocketServerInput({ path: "/in", allowed_origins: ["*"] }),
    () => memoryOutput(),
  );
  await from(open, "http://evil.example");
  await open.close();
});

test("behind a trusted proxy, the pages of the host that it names may connect", async () => {
  const intake = () => ({ input: httpServerInput({ ws_path: "/in" }), output: memoryOutput() });
  const from = (gateway: TestGateway, origin: string) =>
    socket(`${gateway.url}/orders/in`, { origin, headers: { "x-forwarded-host": "shop.example" } });
  const trusting = await startGateway([ordersApi({ intake })], {
    parts: { trustedProxies: () => trustedProxies(["127.0.0.1"]) },
  });
  await until(() => trusting.streams.unready().length === 0);
  await from(trusting, "https://shop.example");
  assert.is(await refusal(from(trusting, trusting.url)), 403);
  await trusting.close();
  const wary = await startGateway([ordersApi({ intake })]);
  await until(() => wary.streams.unready().length === 0);
  assert.is(await refusal(from(wary, "https://shop.example")), 403);
  await from(wary, wary.url);
  await wary.close();
});

test("frames are text for UTF-8 content unless configured otherwise", async () => {
  for (const [message_type, kinds] of [
    [undefined, ["string", "object"]],
    ["text", ["string"]],
    ["binary", ["object", "object"]],
  ] as const) {
    const gateway = await consuming(() =>
      websocketServerOutput({ path: "/out", ...(message_type && { message_type }) }),
    );
    const client = await socket(gateway.at("/out"));
    await until(() => gateway.status() === "running");
    await gateway.input.deliver("text");

    if (message_type !== "text")
      await gateway.input.context?.deliver([Message.fromBytes(Uint8Array.of(255))]);
    const received = await client.take(kinds.length);
    assert.equal(
      received.map((message) => typeof message),
      kinds,
    );
    await gateway.close();
  }
});

test("a client that answers no ping is disconnected, one that answers stays", async () => {
  const gateway = await consuming({ ws_path: "/out", ping_period: 20, pong_wait: 200 });
  const alive = await socket(gateway.at("/out"));
  const dead = await socket(gateway.at("/out"), { autoPong: false });
  assert.is((await dead.ended).code, 1006);
  await until(() => gateway.clients() === 1 && gateway.status() === "running");
  await gateway.input.deliver("a");
  assert.is(await alive.next(), "a");
  await gateway.close();
});

test("idle clients share their timers", async () => {
  const gateway = await consuming({ ws_path: "/out", stream_path: "/events" });
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  await socket(gateway.at("/out"));
  await sse(gateway.at("/events"));
  await until(() => gateway.clients() === 2);
  const ofOne = timers();
  for (let others = 0; others < 5; others++) {
    await socket(gateway.at("/out"));
    await sse(gateway.at("/events"));
  }
  await until(() => gateway.clients() === 12);
  assert.ok(timers() <= ofOne + 2, `${timers()} timers instead of ${ofOne}`);
  await gateway.close();
});

test("requests in, event stream out: a caller gets its response when a client has its message", async () => {
  const gateway = await startGateway([
    ordersApi({
      relay: () => ({
        input: httpServerInput({ path: "/new", timeout: 60_000 }),
        output: httpServerOutput({ path: "/events" }),
      }),
      other: () => ({ input: manualInput(), output: memoryOutput() }),
    }),
  ]);
  await until(() => gateway.streams.unready().length === 0);
  const answer = fetch(`${gateway.url}/orders/new`, { method: "POST", body: "hello" });
  await until(() => gateway.streams.states()[0]?.messages.inFlight === 1);
  const client = await sse(`${gateway.url}/orders/events`);
  assert.is((await client.next()).data, "hello");
  assert.is((await answer).status, 200);
  await gateway.close();
});

test.run();
