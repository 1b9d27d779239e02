import { once } from "node:events";
import { connect } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import type { Limits } from "../../../runtime/http/listener-limits.ts";
import { Message } from "../../../runtime/message/message.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { memoryOutput } from "../gateway/components.ts";
import { answerTo, http2Client } from "./http2-client.ts";
import { rawClient } from "./raw-client.ts";
import { endHeaders, frame, frameTypes, headerBlock, rawHttp2Client, requestHeaders } from "./raw-http2.ts";
import { serveWith } from "./serving.ts";

const { server, authority } = await createCertificates();
const head = "POST /orders/new HTTP/1.1\r\nHost: a\r\n";

function servePlain(limits: Limits) {
  return serveWith({ limits });
}

function serveHttp2(limits: Limits) {
  return serveWith({
    limits,
    tls: () => secureListener({ cert_file: server.certFile, key_file: server.keyFile }),
  });
}

/** What is answered to bytes, until the gateway ends the connection. */
async function answerToBytes(port: number, bytes: string): Promise<string> {
  const client = await rawClient(port);
  client.write(bytes);
  await client.ended();
  return client.received;
}

test("headers: their size and their number", async () => {
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

test("headers of HTTP/2", async () => {
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

test("messages of sockets", async () => {
  const gateway = await servePlain({ max_frame_bytes: 10, max_body_bytes: 100 });
  const client = await socket(`${gateway.url}/orders/chat`);
  await client.send("x".repeat(11));
  assert.is((await client.ended).code, 1009);
  assert.equal(gateway.output.texts, []);
  await gateway.close();
});

test("connections: those above are dropped, and there is room again when one leaves", async () => {
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

test("slow heads, slow bodies and idle connections are ended", async () => {
  const gateway = await servePlain({ head_timeout: 200, body_timeout: 200, idle_timeout: 200 });
  assert.match(await answerToBytes(gateway.port, "POST /orders/new HTT"), /^HTTP\/1\.1 408 /);
  assert.match(await answerToBytes(gateway.port, `${head}Content-Length: 9\r\n\r\nx`), /^HTTP\/1\.1 408 /);
  assert.match(await answerToBytes(gateway.port, ""), /^(?:HTTP\/1\.1 408 |$)/);
  const idle = await answerToBytes(gateway.port, `${head}Content-Length: 1\r\n\r\nx`);
  assert.match(idle, /^HTTP\/1\.1 200 /);
  assert.equal(gateway.output.texts, ["x"]);
  await gateway.close();
});

test("an idle connection of HTTP/1.1 over TLS is ended", async () => {
  const gateway = await serveHttp2({ idle_timeout: 200 });
  const client = connect({ port: gateway.port, ca: authority.cert, servername: "localhost" });
  await once(client, "secureConnect");
  client.write(`${head}Content-Length: 1\r\n\r\nx`);
  const [answer] = await once(client, "data");
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
  await once(client, "close");
  assert.equal(gateway.output.texts, ["x"]);
  await gateway.close();
});

test("a client that takes nothing of its answer is cut off", async () => {
  const large = Buffer.alloc(12_000_000, "x");
  const streams = {
    echo: () => ({
      input: httpServerInput({ path: "/new" }),
      output: memoryOutput(() => ({ response: [Message.fromBytes(large)] })),
    }),
  };
  const gateway = await serveWith({
    apis: [{ id: "orders", listenPath: "/orders/", streams }],
    limits: { idle_timeout: 200 },
  });
  const client = await rawClient(gateway.port);
  client.socket.pause();
  client.write(`${head}Content-Length: 1\r\n\r\nx`);
  // Others are ended meanwhile, each after the same time without a byte.
  for (let other = 0; other < 4; other += 1) {
    const idle = await rawClient(gateway.port);
    idle.write("GET /orders/unknown HTTP/1.1\r\nHost: a\r\n\r\n");
    await idle.ended();
  }
  client.socket.resume();
  await client.ended();
  assert.match(client.received, /^HTTP\/1\.1 200 /);
  assert.ok(client.received.length < large.length);
  await gateway.close();
});

test("nothing is answered a second time, nor into an answer that has begun", async () => {
  const gateway = await servePlain({ head_timeout: 200, body_timeout: 200 });
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

test("an event stream is no idle connection", async () => {
  const gateway = await servePlain({ head_timeout: 100, body_timeout: 100, idle_timeout: 100 });
  const client = await rawClient(gateway.port);
  client.write("GET /orders/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n");
  await until(() => client.received.includes("retry:"));
  // Others are ended meanwhile, which takes as long as any of the limits.
  await answerToBytes(gateway.port, "POST /");
  await answerToBytes(gateway.port, `${head}Content-Length: 9\r\n\r\nx`);
  await gateway.source.deliver("later");
  await until(() => client.received.includes("data: later"));
  client.socket.destroy();
  await gateway.close();
});

test("HTTP/2: slow bodies and idle connections are ended, whatever else they say", async () => {
  const gateway = await serveHttp2({ body_timeout: 200, idle_timeout: 200 });
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

test("HTTP/2: requests at once are bounded", async () => {
  const gateway = await serveHttp2({ max_concurrent_streams: 3 });
  const connection = await http2Client(gateway.url, { ca: authority.cert });
  await until(() => connection.session.remoteSettings.maxConcurrentStreams === 3);
  connection.close();
  await gateway.close();
});

test("HTTP/2: a client that takes its requests back at once loses its connection", async () => {
  const gateway = await serveHttp2({});
  const client = await rawHttp2Client(gateway.port);
  const block = headerBlock(requestHeaders("POST", "/orders/new"));
  const cancelled = Buffer.from([0, 0, 0, 8]);
  for (let id = 1; id < 2_000; id += 2) {
    client.write(frame(frameTypes.headers, endHeaders, id, block), frame(frameTypes.reset, 0, id, cancelled));
  }
  await client.ended();
  assert.ok(client.frames.includes(frameTypes.goaway));
  assert.equal(gateway.output.texts, []);
  const other = await http2Client(gateway.url, { ca: authority.cert });
  assert.is((await other.ask({ ":path": "/orders/new", ":method": "POST" }, "a")).status, 200);
  other.close();
  await gateway.close();
});

test("HTTP/2: a body that is cut off is no message", async () => {
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

test("HTTP/2: floods of pings and settings end the connection", async () => {
  const gateway = await serveHttp2({});
  const floods = [
    frame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
    frame(frameTypes.settings, 0, 0, Buffer.from([0, 4, 0, 0, 255, 255])),
  ];
  for (const flood of floods) {
    const client = await rawHttp2Client(gateway.port);
    client.write(...Array.from({ length: 500 }, () => flood));
    await client.ended();
    assert.ok(client.frames.includes(frameTypes.goaway));
  }
  await gateway.close();
});

test.run();
