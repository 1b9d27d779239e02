import { once } from "node:events";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { until } from "../../harness/wait.ts";
import { type RawClient, rawClient } from "./raw-client.ts";
import { serveWith } from "./serving.ts";

const handshake = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

function ask(path: string, ...headers: readonly string[]): string {
  return `${[`GET /orders/${path} HTTP/1.1`, "Host: a", ...headers].join("\r\n")}\r\n\r\n`;
}

function post(body: string): string {
  return `POST /orders/new HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const events = ask("events", "Accept: text/event-stream");

function statuses(client: RawClient): string[] {
  return [...client.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? "");
}

test("pipelined requests are processed one after another, without a limit on their number", async () => {
  const gateway = await serveWith({});
  const client = await rawClient(gateway.port);
  const bodies = Array.from({ length: 100 }, (_, at) => `message ${at}`);
  client.write(bodies.map(post).join(""));
  await until(() => statuses(client).length === 100);
  assert.equal(gateway.output.texts, bodies);
  client.socket.destroy();
  await gateway.close();
});

test("requests pipelined behind an event stream receive no message and block nothing", async () => {
  const gateway = await serveWith({});
  const client = await rawClient(gateway.port);
  client.write(`${events}${events.repeat(200)}`);
  await until(() => client.received.includes("retry:"));
  for (const text of ["one", "two", "three"]) await gateway.source.deliver(text);
  await until(() => client.received.includes("data: three"));
  assert.match(client.received, /data: one\n[\s\S]*data: two\n/);
  client.socket.destroy();
  await gateway.close();
});

test("an upgrade waits for the responses before it, and is refused within an event stream", async () => {
  const gateway = await serveWith({});
  const client = await rawClient(gateway.port);
  client.write(`${post("first")}${ask("chat", ...handshake)}`);
  await until(() => statuses(client).length === 2);
  assert.equal(statuses(client), ["200", "101"]);
  client.socket.destroy();
  const mixed = await rawClient(gateway.port);
  mixed.write(events);
  await until(() => mixed.received.includes("retry:"));
  mixed.write(ask("chat", ...handshake));
  await mixed.ended();
  assert.equal(statuses(mixed), ["200"]);
  await gateway.close();
});

test("an upgrade that waits behind an event stream ends its connection", async () => {
  const gateway = await serveWith({});
  for (const before of [post("confirmed"), "GET /none HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2)]) {
    const client = await rawClient(gateway.port);
    client.write(`${before}${events}${ask("chat", ...handshake)}`);
    await client.ended();
    assert.not(statuses(client).includes("101"));
  }
  await until(() => gateway.streams.states().every(({ clients }) => !clients), { what: "no client" });
  await gateway.close();
});

test("a malformed request is answered after the responses before it, and never within a response", async () => {
  const gateway = await serveWith({});
  const client = await rawClient(gateway.port);
  client.write(`${post("first")}no request\r\n\r\n`);
  await client.ended();
  assert.equal(statuses(client), ["200", "400"]);
  const stream = await rawClient(gateway.port);
  stream.write(events);
  await until(() => stream.received.includes("retry:"));
  stream.write("no request\r\n\r\n");
  await stream.ended();
  assert.equal(statuses(stream), ["200"]);
  await gateway.close();
});

test("a client that goes on sending after an unreadable request receives the response", async () => {
  const gateway = await serveWith({});
  const client = await rawClient(gateway.port);
  const errors: unknown[] = [];
  client.socket.on("error", (error) => errors.push(error));
  client.write("GET / HTTP/1.1\r\nbad header\r\n\r\n");
  // More than the buffers of both sides hold: the connection would be reset with the rest unread.
  client.write("x".repeat(8_000_000));
  await new Promise((resolve) => client.socket.once("close", resolve));
  assert.match(client.received, /^HTTP\/1\.1 400 [\s\S]*\{"error":"Bad request"\}$/);
  assert.equal(errors, []);
  await gateway.close();
});

test("a client that goes on sending a refused body receives the last response of its connection", async () => {
  const gateway = await serveWith({ limits: { max_body_bytes: 1_000 } });
  const refused = (version: string, ...headers: readonly string[]) =>
    `${[`POST /orders/new ${version}`, "Host: a", "Content-Length: 8000000", ...headers].join("\r\n")}\r\n\r\n`;
  const heads = [
    refused("HTTP/1.1", "Connection: close"),
    refused("HTTP/1.1", "Expect: 100-continue"),
    refused("HTTP/1.0"),
  ];
  for (const head of heads) {
    const client = await rawClient(gateway.port);
    const errors: unknown[] = [];
    client.socket.on("error", (error) => errors.push(error));
    client.write(head);
    client.write("x".repeat(8_000_000));
    await client.ended();
    assert.equal(statuses(client), ["413"]);
    assert.match(client.received, /\r\nconnection: close\r\n/i);
    assert.equal(errors, []);
  }
  await gateway.close();
});

test("no request is handled after the last response of its connection, however they arrive", async () => {
  const gateway = await serveWith({ limits: { max_body_bytes: 10 } });
  const client = await rawClient(gateway.port);
  // It goes on after the end of what the gateway sends.
  client.socket.allowHalfOpen = true;
  client.write("POST /orders/new HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n");
  await once(client.socket, "end");
  client.write(`${"x".repeat(100)}${post("late")}`);
  assert.equal(statuses(client), ["413"]);
  const other = await rawClient(gateway.port);
  other.write(post("other"));
  await until(() => statuses(other).length === 1);
  assert.equal(gateway.output.texts, ["other"]);
  client.socket.destroy();
  other.socket.destroy();
  await gateway.close();
});

test("responses that are complete and not sent yet precede what follows on their connection", async () => {
  const gateway = await serveWith({});
  const refused = "GET /none HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
  const followers = [
    [ask("chat", ...handshake), "101"],
    ["CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "400"],
    ["malformed\r\n\r\n", "400"],
  ] as const;
  for (const [follower, status] of followers) {
    for (const [before, answers] of [
      [refused, ["404", "404"]],
      [post("confirmed"), ["200"]],
    ] as const) {
      const client = await rawClient(gateway.port);
      client.write(`${before}${follower}`);
      await until(() => statuses(client).length === answers.length + 1 || client.isClosed);
      assert.equal(statuses(client), [...answers, status]);
      client.socket.destroy();
    }
  }
  await gateway.close();
});

test("an upgrade of HTTP/1.0, without a host or with a body opens no socket", async () => {
  const gateway = await serveWith({});
  const old = ask("chat", ...handshake).replace("HTTP/1.1", "HTTP/1.0");
  const nameless = ask("chat", ...handshake).replace("Host: a\r\n", "");
  const heavy = (...fields: readonly string[]) => ask("chat", ...handshake, ...fields);
  for (const [request, status] of [
    [old, "426"],
    [nameless, "400"],
    [`${heavy("Content-Length: 7")}\x81\x81aaaa\x00`, "400"],
    [`${heavy("Transfer-Encoding: chunked")}0\r\n\r\n`, "400"],
  ] as const) {
    const client = await rawClient(gateway.port);
    client.write(request);
    await client.ended();
    assert.equal(statuses(client), [status]);
  }
  assert.equal(gateway.output.texts, []);
  await gateway.close();
});

test.run();
