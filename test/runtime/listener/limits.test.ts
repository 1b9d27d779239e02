import { once } from "node:events";
import { connect } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import type { GatewayDefinition } from "../../../runtime/gateway.ts";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import type { Limits } from "../../../runtime/http/listener-limits.ts";
import { Message } from "../../../runtime/message/message.ts";
import { bodyBudget } from "../../../runtime/process/memory/body-budget.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { memoryOutput } from "../gateway/components.ts";
import { answerTo, http2Client } from "./http2-client.ts";
import { rawClient } from "./raw-client.ts";
import {
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  rawHttp2Client,
  requestHeaders,
} from "./raw-http2.ts";
import { serveWith } from "./serving.ts";

const { server, authority } = await createCertificates();
const head = "POST /orders/new HTTP/1.1\r\nHost: a\r\n";
const oneByte = "Content-Length: 1\r\n\r\nx";

function servePlain(limits: Limits) {
  return serveWith({ limits });
}

function serveHttp2(limits: Limits, apis?: GatewayDefinition["apis"]) {
  return serveWith({
    limits,
    ...(apis && { apis }),
    tls: () => secureListener({ cert_file: server.certFile, key_file: server.keyFile }),
  });
}

/** Sends bytes and returns the response, until the gateway closes the connection. */
async function answerToBytes(port: number, bytes: string): Promise<string> {
  const client = await rawClient(port);
  client.write(bytes);
  await client.ended();
  return client.received;
}

test("the size and the number of headers are limited", async () => {
  const gateway = await servePlain({ max_header_bytes: 2000, max_headers: 10 });
  const large = await answerToBytes(gateway.port, `${head}X: ${"x".repeat(3000)}\r\n\r\n`);
  assert.match(large, /^HTTP\/1\.1 431 [\s\S]*"Request header is too large"/);
  const headers = Array.from({ length: 9 }, (_, at) => `X-${at}: 1\r\n`).join("");
  const many = await answerToBytes(
    gateway.port,
    `${head}${headers}Connection: close\r\nContent-Length: 1\r\n\r\nx`,
  );
  assert.match(many, /^HTTP\/1\.1 431 /);
  const fitting = `${head}${headers.slice(0, 56)}Connection: close\r\nContent-Length: 1\r\n\r\nx`;
  assert.match(await answerToBytes(gateway.port, fitting), /^HTTP\/1\.1 200 /);
  assert.equal(gateway.output.texts, ["x"]);
  await gateway.close();
});

test("HTTP/2: the size and the number of headers are limited", async () => {
  const gateway = await serveHttp2({ max_header_bytes: 2000, max_headers: 10 });
  const crowded = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`x-${at}`, "1"]));
  for (const headers of [{ x: "x".repeat(3000) }, crowded]) {
    const connection = await http2Client(gateway.url, { ca: authority.cert });
    const status = await connection.ask({ ":path": "/orders/new", ":method": "POST", ...headers }, "a").then(
      (answer) => answer.status,
      () => "cut",
    );
    assert.ok(status === 431 || status === "cut", String(status));
    connection.close();
  }
  assert.equal(gateway.output.texts, []);
  await gateway.close();
});

test("WebSocket: the size of messages is limited", async () => {
  const gateway = await servePlain({ max_frame_bytes: 10, max_body_bytes: 100 });
  const client = await socket(`${gateway.url}/orders/chat`);
  await client.send("x".repeat(11));
  assert.is((await client.ended).code, 1009);
  assert.equal(gateway.output.texts, []);
  await gateway.close();
});

test("connections above the limit are dropped, and accepted again when one closes", async () => {
  const gateway = await servePlain({ max_connections: 2 });
  const [first, second] = [await rawClient(gateway.port), await rawClient(gateway.port)];
  const third = await rawClient(gateway.port);
  await third.ended();
  assert.is(third.received, "");
  first.socket.destroy();
  second.write("GET /orders/unknown HTTP/1.1\r\nHost: a\r\n\r\n");
  await until(() => second.received.startsWith("HTTP/1.1 404"));
  await until(async () => {
    const next = await rawClient(gateway.port);
    next.write("GET /orders/unknown HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await next.ended();
    return next.received.startsWith("HTTP/1.1 404");
  });
  second.socket.destroy();
  await gateway.close();
});

test("slow heads, slow bodies and idle connections time out", async () => {
  const gateway = await servePlain({ head_timeout: 1_000, body_timeout: 1_000, idle_timeout: 1_000 });
  const lateHead = await answerToBytes(gateway.port, "POST /orders/new HTT");
  assert.match(lateHead, /^HTTP\/1\.1 408 [\s\S]*"The request did not arrive within 1 s"/);
  const lateBody = await answerToBytes(gateway.port, `${head}Content-Length: 9\r\n\r\nx`);
  assert.match(lateBody, /^HTTP\/1\.1 408 [\s\S]*"The request did not arrive within 2 s"/);
  assert.match(await answerToBytes(gateway.port, ""), /^(?:HTTP\/1\.1 408 |$)/);
  assert.equal(gateway.output.texts, []);
  await gateway.close();
  const idle = await servePlain({ idle_timeout: 1_000 });
  assert.match(await answerToBytes(idle.port, `${head}${oneByte}`), /^HTTP\/1\.1 200 /);
  assert.equal(idle.output.texts, ["x"]);
  await idle.close();
});

test("an idle connection of HTTP/1.1 over TLS is closed", async () => {
  const gateway = await serveHttp2({ idle_timeout: 2_000 });
  const client = connect({ port: gateway.port, ca: authority.cert, servername: "localhost" });
  await once(client, "secureConnect");
  client.write(`${head}Content-Length: 1\r\n\r\nx`);
  const [answer] = await once(client, "data");
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
  await once(client, "close");
  assert.equal(gateway.output.texts, ["x"]);
  await gateway.close();
});

/** The size of the body of the response of `large`, in bytes. */
const largeSize = 12_000_000;

function large(): GatewayDefinition["apis"] {
  const answer = Buffer.alloc(largeSize, "x");
  const streams = {
    echo: () => ({
      input: httpServerInput({ path: "/new" }),
      output: memoryOutput(() => ({ response: [Message.fromBytes(answer)] })),
    }),
  };
  return [{ id: "orders", listenPath: "/orders/", streams }];
}

test("a client that reads nothing of its response is disconnected", async () => {
  const gateway = await serveWith({ apis: large(), limits: { idle_timeout: 1_000 } });
  const client = await rawClient(gateway.port);
  client.socket.pause();
  client.write(`${head}Content-Length: 1\r\n\r\nx`);
  // Meanwhile the gateway closes other connections, each after the same time without a byte.
  for (let other = 0; other < 4; other += 1) {
    const idle = await rawClient(gateway.port);
    idle.write("GET /orders/unknown HTTP/1.1\r\nHost: a\r\n\r\n");
    await idle.ended();
  }
  client.socket.resume();
  await client.ended();
  assert.match(client.received, /^HTTP\/1\.1 200 /);
  assert.ok(client.received.length < largeSize);
  await gateway.close();
});

test("unread responses count with bodies, and connections that leave too much unread are closed", async () => {
  const limits = { max_bytes_in_flight: 4 * largeSize };
  const gateway = await serveWith({ apis: large(), limits });
  const post = async () =>
    (await answerToBytes(gateway.port, `${head}Connection: close\r\n${oneByte}`)).slice(0, 12);
  const one = await rawClient(gateway.port);
  one.socket.pause();
  one.write(`${head}${oneByte}`);
  await until(() => bodyBudget.unread > largeSize / 2, { what: "what one client leaves" });
  // Less than half of the budget: a slow client may stay.
  assert.is(await post(), "HTTP/1.1 200");
  const others = await Promise.all([1, 2, 3, 4].map(() => rawClient(gateway.port)));
  for (const other of others) {
    other.socket.pause();
    other.write(`${head}${oneByte}`);
  }
  await until(() => bodyBudget.unread > 2 * largeSize, { what: "what all leave" });
  await until(() => bodyBudget.unread <= 2 * largeSize, { what: "the end of the largest" });
  for (const client of [one, ...others]) client.socket.resume();
  await Promise.all(
    [one, ...others].map((client) => until(() => client.isClosed || isWhole(client.received))),
  );
  const whole = [one, ...others].filter(({ received }) => isWhole(received));
  assert.ok(whole.length > 0 && whole.length < 5, String(whole.length));
  for (const { socket } of whole) socket.destroy();
  await until(() => bodyBudget.unread === 0);
  assert.is(await post(), "HTTP/1.1 200");
  await gateway.close();
});

function isWhole(received: string): boolean {
  return received.length > largeSize;
}

test("HTTP/2: unread responses close their connections", async () => {
  const gateway = await serveHttp2({ max_bytes_in_flight: 2 * largeSize }, large());
  const connection = await http2Client(gateway.url, { ca: authority.cert });
  const ended = once(connection.session, "close");
  for (let request = 0; request < 3; request += 1) {
    const stream = connection.open({ ":path": "/orders/new", ":method": "POST" });
    stream.on("error", () => undefined).end("x");
  }
  await ended;
  await until(() => bodyBudget.unread < largeSize);
  const other = await http2Client(gateway.url, { ca: authority.cert });
  assert.is((await other.ask({ ":path": "/orders/new", ":method": "POST" }, "a")).body.length, largeSize);
  other.close();
  await gateway.close();
});

test("HTTP/2: a client that opens its window byte by byte is disconnected", async () => {
  const gateway = await serveHttp2({}, large());
  const client = await rawHttp2Client(gateway.port);
  // SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113, section 6.5.2)
  client.write(frame(frameTypes.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 1])));
  const asked = headerBlock(requestHeaders("POST", "/orders/new"));
  client.write(frame(frameTypes.headers, endHeaders, 1, asked), frame(frameTypes.data, endStream, 1));
  const windowUpdate = frame(8, 0, 1, Buffer.from([0, 0, 0, 1]));
  const updates = Array.from({ length: 100 }, () => windowUpdate);
  while (!client.isClosed) {
    client.write(...updates);
    await new Promise(setImmediate);
  }
  assert.ok(client.frames.includes(frameTypes.headers), "it is answered");
  // A client that opens its window as it reads is not cut off, however much it reads.
  const other = await http2Client(gateway.url, { ca: authority.cert });
  assert.is((await other.ask({ ":path": "/orders/new", ":method": "POST" }, "a")).body.length, largeSize);
  other.close();
  await gateway.close();
});

test("HTTP/2: the requests of all connections are limited", async () => {
  const gateway = await serveHttp2({ max_connections: 4 });
  const clients = await Promise.all([1, 2].map(() => http2Client(gateway.url, { ca: authority.cert })));
  const waiting = clients.flatMap(({ open }) =>
    [1, 2].map(() => open({ ":path": "/orders/events", accept: "text/event-stream" })),
  );
  for (const stream of waiting) assert.is((await answerTo(stream))[":status"], 200);
  const more = { ":path": "/orders/new", ":method": "POST" };
  const refused = await clients[1]?.ask(more, "a").then(String, String);
  assert.match(refused ?? "", /REFUSED_STREAM/);
  const [first] = waiting;
  first?.close();
  await until(async () => (await clients[0]?.ask(more, "a").catch(() => undefined))?.status === 200);
  for (const { session } of clients) session.destroy();
  await gateway.close();
});

const chunked = "Transfer-Encoding: chunked\r\n\r\n";
const chunk = "1\r\nx\r\n";

test("bodies with too small chunks close their connection", async () => {
  const gateway = await servePlain({});
  // More than the allowance grows while a loaded machine reads it.
  const flood = chunk.repeat(200_000);
  const answer = await answerToBytes(gateway.port, `${head}${chunked}${flood}`);
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*"Chunks of the request body are too small"/);
  // The chunks of several requests count together, and so do those of bodies that the gateway does not read.
  const whole = `${head}${chunked}${chunk.repeat(6_000)}0\r\n\r\n`;
  assert.match(await answerToBytes(gateway.port, whole.repeat(4)), /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 /);
  const unread = head.replace("new", "unknown");
  assert.match(await answerToBytes(gateway.port, `${unread}${chunked}${flood}`), /^HTTP\/1\.1 404 /);
  assert.ok(gateway.output.texts.every((text) => text === "x".repeat(6_000)));
  // Small chunks are allowed for a while, and so is any number of chunks that carry a little more.
  const few = `${head}Connection: close\r\n${chunked}${chunk.repeat(2_000)}0\r\n\r\n`;
  assert.match(await answerToBytes(gateway.port, few), /^HTTP\/1\.1 200 /);
  const line = `10\r\n${"y".repeat(16)}\r\n`;
  const many = `${head}Connection: close\r\n${chunked}${line.repeat(40_000)}0\r\n\r\n`;
  assert.match(await answerToBytes(gateway.port, many), /^HTTP\/1\.1 200 /);
  assert.is(gateway.output.texts.at(-1)?.length, 640_000);
  await gateway.close();
});

test("HTTP/2: bodies with too small frames close their connection", async () => {
  const gateway = await serveHttp2({});
  const client = await rawHttp2Client(gateway.port);
  const block = headerBlock(requestHeaders("POST", "/orders/new"));
  const small = frame(frameTypes.data, 0, 1, Buffer.from("x"));
  client.write(
    frame(frameTypes.headers, endHeaders, 1, block),
    Buffer.concat(Array.from({ length: 200_000 }, () => small)),
  );
  await client.ended();
  assert.ok(client.wasRejected());
  assert.equal(gateway.output.texts, []);
  await gateway.close();
});

/** Returns a frame of a client (RFC 6455, section 5.2), masked with zeros. */
function clientFrame(first: number, payload: string): string {
  return String.fromCharCode(first, 0x80 + payload.length, 0, 0, 0, 0) + payload;
}

test("WebSocket: too small fragments and too many pings close the connection", async () => {
  const gateway = await servePlain({});
  const upgrade = [
    "GET /orders/chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket",
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  ].join("\r\n");
  const message = clientFrame(0x01, "x") + clientFrame(0x00, "x").repeat(9_000) + clientFrame(0x80, "x");
  const fragmented = await rawClient(gateway.port);
  fragmented.write(upgrade + message.repeat(3));
  await fragmented.ended();
  assert.ok(fragmented.received.endsWith("\x03\xf0fragments are too small"));
  const pinging = await rawClient(gateway.port);
  pinging.write(upgrade);
  await until(() => pinging.received.endsWith("\r\n\r\n"));
  for (let sent = 0; !pinging.isClosed && sent < 1_000; sent += 40) {
    const { length } = pinging.received;
    pinging.write(clientFrame(0x89, "").repeat(40));
    // Two bytes for each pong; ws closes the connection of a client that does not let it send them.
    await until(() => pinging.received.length >= length + 80 || pinging.isClosed);
  }
  assert.ok(pinging.received.endsWith("\x03\xf0too many pings and pongs"));
  assert.ok(gateway.output.texts.every((text) => text === "x".repeat(9_002)));
  const client = await socket(`${gateway.url}/orders/chat`);
  const before = gateway.output.texts.length;
  // Short messages are not fragments, and occasional pings are not a flood.
  for (let sent = 0; sent < 20_000; sent += 1) client.socket.send("x");
  for (let sent = 0; sent < 50; sent += 1) client.socket.ping();
  await until(() => gateway.output.texts.length === before + 20_000);
  await client.close();
  await gateway.close();
});

test("no request is answered twice, nor is an error written into a response that has begun", async () => {
  const gateway = await servePlain({ head_timeout: 1_000, body_timeout: 1_000 });
  const answers = (text: string) => text.match(/HTTP\/1\.1 \d{3}/g);
  const early = await answerToBytes(
    gateway.port,
    "POST /orders/unknown HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
  );
  assert.equal(answers(early), ["HTTP/1.1 404"]);
  const client = await rawClient(gateway.port);
  client.write("GET /orders/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n");
  await until(() => client.received.includes("retry:"));
  client.write("no request\r\n\r\n");
  await client.ended();
  assert.equal(answers(client.received), ["HTTP/1.1 200"]);
  const next = "GET /orders/unknown HTTP/1.1\r\nHost: a\r\n\r\n";
  const later = await rawClient(gateway.port);
  later.write(next);
  await until(() => later.received.endsWith("}"));
  later.write("no request\r\n\r\n");
  await later.ended();
  assert.equal(answers(later.received), ["HTTP/1.1 404", "HTTP/1.1 400"]);
  await gateway.close();
});

test("an event stream is not an idle connection", async () => {
  const gateway = await servePlain({ head_timeout: 1_000, body_timeout: 1_000, idle_timeout: 1_000 });
  const client = await rawClient(gateway.port);
  client.write("GET /orders/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n");
  await until(() => client.received.includes("retry:"));
  // Meanwhile the gateway closes the connections that exceed the other limits; all limits take the same time.
  await answerToBytes(gateway.port, "POST /");
  await answerToBytes(gateway.port, `${head}Content-Length: 9\r\n\r\nx`);
  await gateway.source.deliver("later");
  await until(() => client.received.includes("data: later"));
  client.socket.destroy();
  await gateway.close();
});

test("HTTP/2: slow bodies and idle connections are closed, in spite of pings", async () => {
  const gateway = await serveHttp2({ body_timeout: 1_000, idle_timeout: 2_000 });
  const connection = await http2Client(gateway.url, { ca: authority.cert });
  const slow = connection.open({ ":path": "/orders/new", ":method": "POST" });
  slow.write("x");
  assert.is((await answerTo(slow))[":status"], 408);
  const pings = setInterval(() => {
    if (!connection.session.destroyed) connection.session.ping(() => undefined);
  }, 20);
  await once(connection.session, "close");
  clearInterval(pings);
  assert.equal(gateway.output.texts, []);
  await gateway.close();
});

test("HTTP/2: concurrent requests are limited", async () => {
  const gateway = await serveHttp2({ max_concurrent_streams: 3 });
  const connection = await http2Client(gateway.url, { ca: authority.cert });
  await until(() => connection.session.remoteSettings.maxConcurrentStreams === 3);
  connection.close();
  await gateway.close();
});

test("HTTP/2: a client that cancels its requests immediately (rapid reset) loses its connection", async () => {
  const gateway = await serveHttp2({});
  const client = await rawHttp2Client(gateway.port);
  const block = headerBlock(requestHeaders("POST", "/orders/new"));
  const cancelled = Buffer.from([0, 0, 0, 8]);
  for (let id = 1; id < 2_000; id += 2) {
    client.write(frame(frameTypes.headers, endHeaders, id, block), frame(frameTypes.reset, 0, id, cancelled));
  }
  await client.ended();
  assert.ok(client.wasRejected());
  assert.equal(gateway.output.texts, []);
  const other = await http2Client(gateway.url, { ca: authority.cert });
  assert.is((await other.ask({ ":path": "/orders/new", ":method": "POST" }, "a")).status, 200);
  other.close();
  await gateway.close();
});

test("HTTP/2: a truncated body delivers no message", async () => {
  const gateway = await serveHttp2({});
  const head = frame(frameTypes.headers, endHeaders, 1, headerBlock(requestHeaders("POST", "/orders/new")));
  const part = frame(frameTypes.data, 0, 1, Buffer.from("half of"));
  for (const code of [0, 8]) {
    const client = await rawHttp2Client(gateway.port);
    client.write(head, part, frame(frameTypes.reset, 0, 1, Buffer.from([0, 0, 0, code])));
    client.write(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)));
    await until(() => client.frames.includes(frameTypes.ping));
    client.destroy();
  }
  const client = await rawHttp2Client(gateway.port);
  client.write(head, part);
  await client.flush();
  client.destroy();
  const other = await http2Client(gateway.url, { ca: authority.cert });
  await other.ask({ ":path": "/orders/new", ":method": "POST" }, "whole");
  other.close();
  await gateway.close();
  assert.equal(gateway.output.texts, ["whole"]);
});

test("HTTP/2: a rejected body is not read to its end", async () => {
  const gateway = await serveHttp2({ max_body_bytes: 10 });
  const part = frame(frameTypes.data, 0, 1, Buffer.alloc(20));
  for (const length of [[], [["content-length", "1000000"]] as const]) {
    const client = await rawHttp2Client(gateway.port);
    const block = headerBlock([...requestHeaders("POST", "/orders/new"), ...length]);
    client.write(frame(frameTypes.headers, endHeaders, 1, block), part);
    await until(() => client.frames.includes(frameTypes.reset), { what: "the end of the stream" });
    assert.ok(client.frames.includes(frameTypes.headers), "it is answered");
    client.destroy();
  }
  await gateway.close();
});

test("HTTP/2: floods of PING and SETTINGS frames end the connection", async () => {
  const gateway = await serveHttp2({});
  const floods = [
    frame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
    frame(frameTypes.settings, 0, 0, Buffer.from([0, 4, 0, 0, 255, 255])),
  ];
  for (const flood of floods) {
    const client = await rawHttp2Client(gateway.port);
    // The gateway has then written its settings: while it writes, Node.js ends a connection without GOAWAY.
    const settings = () => client.frames.filter((type) => type === frameTypes.settings).length;
    await until(() => settings() === 2, { what: "the settings and their acknowledgement" });
    client.write(...Array.from({ length: 500 }, () => flood));
    await client.ended();
    assert.ok(client.wasRejected());
  }
  await gateway.close();
});

test.run();
