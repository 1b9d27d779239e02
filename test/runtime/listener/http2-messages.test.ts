// Over HTTP/2, requests and responses have the meaning that they have over HTTP/1.1.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ClientHttp2Stream, constants } from "node:http2";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { queryObjects } from "node:v8";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Http2Request, Http2Response } from "../../../runtime/http/listener/http2-messages.ts";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { listenerLimits } from "../../../runtime/http/listener-limits.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until } from "../../harness/wait.ts";
import { startUpstream } from "../proxy/upstreams.ts";
import { answerTo, type Http2Client, http2Client } from "./http2-client.ts";
import {
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  rawHttp2Client,
  requestHeaders,
} from "./raw-http2.ts";
import { type ServedGateway, serveWith } from "./serving.ts";

const { server, authority } = await createCertificates();
const tls = () => secureListener({ cert_file: server.certFile, key_file: server.keyFile });

interface Served {
  readonly gateway: ServedGateway;
  readonly client: Http2Client;
  close(): Promise<void>;
}

/** Serves an upstream, and a connection to the gateway in front of it. */
async function serveUpstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Served> {
  const upstream = await startUpstream(answer);
  const apis = [{ id: "up", listenPath: "/", streams: {}, upstream: () => proxyTo({ url: upstream.url }) }];
  const gateway = await serveWith({ tls, apis });
  const client = await http2Client(gateway.url, { ca: authority.cert });
  return {
    gateway,
    client,
    async close() {
      client.session.destroy();
      await gateway.close();
      await upstream.close();
    },
  };
}

/** Serves the streams of `serveWith`. */
async function serveStreams(): Promise<Served> {
  const gateway = await serveWith({ tls });
  const client = await http2Client(gateway.url, { ca: authority.cert });
  return {
    gateway,
    client,
    async close() {
      client.session.destroy();
      await gateway.close();
    },
  };
}

const post = { ":path": "/orders/new", ":method": "POST" };

test("a response without a body is one frame", async () => {
  const { gateway, close } = await serveStreams();
  const client = await rawHttp2Client(gateway.port);
  const head = headerBlock(requestHeaders("POST", "/orders/new"));
  client.write(frame(frameTypes.headers, endHeaders | endStream, 1, head));
  await until(() => client.frames.includes(frameTypes.headers));
  client.write(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)));
  await until(() => client.frames.includes(frameTypes.ping));
  assert.not.ok(client.frames.includes(frameTypes.data));
  client.destroy();
  await close();
});

test("a closed stream keeps neither its request nor its response in memory", async () => {
  const { client, close } = await serveStreams();
  // Node.js keeps some streams itself, which ones depends on its tables.
  const streams: unknown[] = [];
  const keep = (begun: unknown) => streams.push(begun);
  subscribe("http2.server.stream.start", keep);
  const nowhere = { ":path": "/orders/unknown", ":method": "POST" };
  for (let count = 0; count < 5; count += 1) assert.is((await client.ask(nowhere, "a")).status, 404);
  unsubscribe("http2.server.stream.start", keep);
  assert.is(streams.length, 5);
  const held = () => [Http2Request, Http2Response].map((type) => queryObjects(type, { format: "count" }));
  await until(() => held().join() === "0,0", { what: "the end of requests and responses" });
  await close();
  assert.is(streams.length, 5);
});

test("HEAD and statuses without a body", async () => {
  const { client, close } = await serveUpstream((request, response) => {
    if (request.url === "/a") response.setHeader("content-length", "12345").end();
    else if (request.url === "/205") response.writeHead(205, { etag: "x", "content-length": "3" }).end("abc");
    else response.writeHead(Number(request.url?.slice(1)), { etag: "x" }).end();
  });
  const head = await client.ask({ ":path": "/a", ":method": "HEAD" });
  assert.equal([head.status, head.headers["content-length"], head.body], [200, "12345", ""]);
  for (const status of [204, 205, 304]) {
    const answer = await client.ask({ ":path": `/${status}` });
    assert.equal([answer.status, answer.headers.etag, answer.body], [status, "x", ""]);
  }
  await close();
});

test("trailers pass in both directions, also for responses without any", async () => {
  const { client, close } = await serveUpstream((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { trailer: "x-sum" });
      response.write(JSON.stringify(request.trailers));
      if (request.url === "/a") response.addTrailers({ "x-sum": "1" });
      response.end();
    });
  });
  for (const path of ["/a", "/b"]) {
    const stream = client.session.request(
      { ":path": path, ":method": "POST", trailer: "x-end, __proto__" },
      { endStream: false, waitForTrailers: true },
    );
    const received: object[] = [];
    stream.on("trailers", (trailers) => received.push({ ...trailers }));
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-end": "2", "x-other": "3" }));
    stream.end("body");
    const head = await answerTo(stream);
    assert.is(head.trailer, "x-sum");
    assert.is(await text(stream), '{"x-end":"2"}');
    assert.equal(received, path === "/a" ? [{ "x-sum": "1" }] : []);
  }
  await close();
});

test("trailers pass although the body is read after them, and of a response without a body", async () => {
  const bodies: string[] = [];
  const { client, close } = await serveUpstream((request, response) => {
    request.setEncoding("utf8").on("data", (part) => bodies.push(part));
    request.on("end", () => {
      const sum = String(request.trailers["x-end"]);
      response.writeHead(200, { trailer: "x-sum" }).addTrailers({ "x-sum": sum });
      response.end();
    });
  });
  const stream = client.session.request(
    { ":path": "/", ":method": "POST", trailer: "x-end", expect: "100-continue" },
    { endStream: false, waitForTrailers: true },
  );
  const received: object[] = [];
  stream.on("trailers", (trailers) => received.push({ ...trailers }));
  stream.on("wantTrailers", () => stream.sendTrailers({ "x-end": "2" }));
  // A client need not wait for the interim response.
  stream.end("body");
  assert.is((await answerTo(stream)).trailer, "x-sum");
  assert.is(await text(stream), "");
  assert.equal([bodies.join(""), received], ["body", [{ "x-sum": "2" }]]);
  await close();
});

test("100 Continue is sent when the body is read, and not to a request that is refused", async () => {
  const { gateway, client, close } = await serveStreams();
  const open = (path: string): ClientHttp2Stream =>
    client.open({ ...post, ":path": path, expect: "100-continue" });
  const stream = open("/orders/new");
  await once(stream, "continue");
  stream.end("a");
  assert.is((await answerTo(stream))[":status"], 200);
  assert.equal(gateway.output.texts, ["a"]);
  const refused = open("/orders/unknown");
  let isAsked = false;
  refused.on("continue", () => {
    isAsked = true;
  });
  assert.is((await answerTo(refused))[":status"], 404);
  assert.not.ok(isAsked);
  await close();
});

test("early hints of an upstream are passed on", async () => {
  const { client, close } = await serveUpstream((_request, response) => {
    response.writeEarlyHints({
      link: ["</a.css>; rel=preload; as=style", "</b.js>; rel=preload; as=script"],
    });
    response.end("ok");
  });
  const stream = client.session.request({ ":path": "/" });
  const [hints] = await once(stream, "headers");
  assert.equal(
    [hints[":status"], hints.link],
    [103, "</a.css>; rel=preload; as=style, </b.js>; rel=preload; as=script"],
  );
  assert.is(await text(stream), "ok");
  await close();
});

test("fields of a request: split cookies, repeated names, names of JavaScript", async () => {
  const { gateway, client, close } = await serveStreams();
  const answer = await client.ask(
    {
      ...post,
      cookie: ["a=1", "b=2"],
      "x-twice": ["1", "2"],
      ["__proto__"]: "x",
      constructor: "y",
      te: "trailers",
    },
    "a",
  );
  assert.is(answer.status, 200);
  const metadata = gateway.output.batches[0]?.[0]?.metadata;
  const read = ["a", "b", "Constructor", "X-Twice"].map((name) => metadata?.get(name));
  assert.equal(read, ["1", "2", "y", "1"]);
  assert.match(String(metadata?.get("http_server_tls_version")), /^TLSv1\.[23]$/);
  assert.match(String(metadata?.get("http_server_tls_cipher_suite")), /^TLS_/);
  await close();
});

test("the metadata of a message can be read after the connection is closed", async () => {
  const { gateway, client, close } = await serveStreams();
  assert.is((await client.ask({ ...post, "x-shop": "7" }, "a")).status, 200);
  await close();
  const metadata = gateway.output.batches[0]?.[0]?.metadata;
  assert.is(metadata?.get("X-Shop"), "7");
});

test("a body that ended before anything read it, with and without content", async () => {
  const handed: IncomingMessage[] = [];
  const { server: listener } = tls().create(
    listenerLimits({}, 1),
    {
      request: (request) => handed.push(request),
      upgrade: () => undefined,
      unreadable: () => undefined,
      silent: () => undefined,
    },
    createLogger("silent"),
  );
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo; // a listening TCP server has this type of address
  const raw = await rawHttp2Client(port);
  const open = async (body: string, isTogether: boolean) => {
    const id = 2 * handed.length + 1;
    const head = frame(frameTypes.headers, endHeaders, id, headerBlock(requestHeaders("POST", "/a")));
    const data = frame(frameTypes.data, endStream, id, Buffer.from(body));
    raw.write(...(isTogether ? [head, data] : [head]));
    await until(() => handed.length * 2 > id);
    if (!isTogether) raw.write(data);
    const [request] = handed.slice(-1);
    assert.ok(request);
    // A body that came with its head waits in Node's stream, unless it is empty.
    if (!isTogether || body === "") await until(() => request.complete);
    assert.is(await text(request), body);
  };
  for (const body of ["", "order"]) for (const isTogether of [false, true]) await open(body, isTogether);
  raw.destroy();
  listener.close();
});

test("a large body and a large response pass at the speed of the slower side", async () => {
  const bytes = Buffer.alloc(3 * 1024 * 1024, "sluice");
  const { client, close } = await serveUpstream((request, response) => {
    request.pipe(response);
  });
  const stream = client.open({ ":path": "/echo", ":method": "POST" });
  stream.end(bytes);
  await answerTo(stream);
  assert.ok((await buffer(stream)).equals(bytes));
  await close();
});

test("a response that breaks off resets its stream and no other", async () => {
  const { client, close } = await serveUpstream((request, response) => {
    if (request.url === "/whole") response.end("whole");
    else {
      response.writeHead(200, { "content-length": "100" });
      response.write("part", () => response.destroy());
    }
  });
  const stream = client.session.request({ ":path": "/broken" });
  stream.on("error", () => undefined);
  stream.resume();
  await new Promise((closed) => stream.once("close", closed));
  assert.is(stream.rstCode, constants.NGHTTP2_INTERNAL_ERROR);
  assert.is((await client.ask({ ":path": "/whole" })).body, "whole");
  await close();
});

test("a client that resets an upload ends only that request, also at the upstream", async () => {
  let [isBegun, isCut] = [false, false];
  const { gateway, close } = await serveUpstream((request, response) => {
    if (request.method === "GET") return response.end("ok");
    isBegun = true;
    request
      .on("error", () => undefined)
      .on("close", () => {
        isCut = !request.complete;
      });
    return request.resume();
  });
  // The client of Node.js would end the body before it resets the stream.
  const raw = await rawHttp2Client(gateway.port);
  raw.write(
    frame(frameTypes.headers, endHeaders, 1, headerBlock(requestHeaders("POST", "/a"))),
    frame(frameTypes.data, 0, 1, Buffer.from("part")),
  );
  await until(() => isBegun);
  raw.write(
    frame(frameTypes.reset, 0, 1, Buffer.from([0, 0, 0, 8])),
    frame(frameTypes.headers, endHeaders | endStream, 3, headerBlock(requestHeaders("GET", "/b"))),
  );
  await until(() => isCut && raw.frames.includes(frameTypes.headers));
  raw.destroy();
  await close();
});

test("an upload whose connection is lost does not end as a whole body", async () => {
  const uploads: IncomingMessage[] = [];
  const { gateway, close } = await serveUpstream((request) => {
    uploads.push(request.on("error", () => undefined).resume());
  });
  const raw = await rawHttp2Client(gateway.port);
  raw.write(
    frame(frameTypes.headers, endHeaders, 1, headerBlock(requestHeaders("POST", "/a"))),
    frame(frameTypes.data, 0, 1, Buffer.from("part")),
  );
  await until(() => uploads.length === 1);
  raw.destroy();
  await until(() => uploads[0]?.closed === true);
  assert.is(uploads[0]?.complete, false);
  await close();
});

test("the rest of a body is not read after the response, which arrives completely", async () => {
  const { client, close } = await serveUpstream((_request, response) => {
    response.write("part", () => response.end("s"));
  });
  const own = await serveStreams();
  const check = async (stream: ClientHttp2Stream, body: RegExp) => {
    const closed = new Promise((done) => stream.once("close", done));
    stream.write("a part");
    await answerTo(stream);
    assert.match(await text(stream), body);
    await closed;
    assert.is(stream.rstCode, constants.NGHTTP2_NO_ERROR);
  };
  await check(own.client.open({ ...post, ":path": "/orders/unknown" }), /not found/);
  await check(client.open({ ":path": "/", ":method": "POST" }), /^parts$/);
  await own.close();
  await close();
});

test("the rest of a body is not read after a response without one, whose head was sent early", async () => {
  let finish = () => {};
  const { gateway, close } = await serveUpstream((request, response) => {
    request.on("error", () => undefined);
    response.writeHead(205).flushHeaders();
    finish = () => response.end();
  });
  const raw = await rawHttp2Client(gateway.port);
  raw.write(
    frame(frameTypes.headers, endHeaders, 1, headerBlock(requestHeaders("POST", "/a"))),
    frame(frameTypes.data, 0, 1, Buffer.from("part")),
  );
  await until(() => raw.frames.includes(frameTypes.headers));
  assert.not.ok(raw.frames.includes(frameTypes.reset));
  finish();
  await until(() => raw.frames.includes(frameTypes.reset));
  raw.destroy();
  await close();
});

test("a gateway that stops finishes its responses", async () => {
  const { gateway, client } = await serveStreams();
  const [upload, other] = [client.open(post), client.open(post)];
  // The response to a ping shows that the gateway has read both.
  await new Promise((read) => client.session.ping(read));
  const closed = gateway.close();
  await once(client.session, "goaway");
  for (const stream of [upload, other]) {
    stream.end("a");
    assert.is((await answerTo(stream))[":status"], 503);
    assert.match(await text(stream), /is stopping/);
  }
  await closed;
});

test("fields of a response that HTTP/2 forbids are left out", async () => {
  const { client, close } = await serveUpstream((_request, response) => {
    response.writeHead(200, {
      te: "gzip",
      "keep-alive": "timeout=5",
      "proxy-connection": "close",
      "x-a": "1",
    });
    response.end("ok");
  });
  const answer = await client.ask({ ":path": "/" });
  const { te, "keep-alive": alive, "x-a": own } = answer.headers;
  assert.equal([answer.status, te, alive, own, answer.body], [200, undefined, undefined, "1", "ok"]);
  await close();
});

test.run();
