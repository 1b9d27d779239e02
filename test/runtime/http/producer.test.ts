import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered, Output } from "../../../runtime/component/component.ts";
import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { until } from "../../harness/wait.ts";
import { each, type MemoryOutput, memoryOutput, textOf } from "../gateway/components.ts";
import { ordersApi, startGateway, type TestGateway } from "../gateway/start-gateway.ts";

interface Producing extends TestGateway {
  readonly output: MemoryOutput;
  readonly target: string;
  post(body?: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Response>;
}

interface ProducingOptions {
  readonly confirm?: (batch: Batch) => Delivered | Promise<Delivered>;
  readonly timeout?: number;
  readonly maxBodyBytes?: number;
}

async function producing({
  confirm,
  timeout = 60_000,
  maxBodyBytes = 2000,
}: ProducingOptions = {}): Promise<Producing> {
  const output = memoryOutput(confirm);
  const path = "/{region}/new";
  const input = () => plainHttpServerInput({ path, allowed_verbs: ["POST", "PUT"], timeout });
  const failing = each((message) =>
    textOf(message) === "bad" ? message.withFailure(new MappingError("number expected")) : message,
  );
  const intake = () => ({ input: input(), pipeline: [failing], output });
  const gateway = await startGateway([ordersApi({ intake })], { maxBodyBytes });
  await until(() => gateway.streams.states()[0]?.status === "running");
  const target = `${gateway.url}/orders/eu/new`;
  const post = (body: string | Uint8Array<ArrayBuffer> = "x", headers: Record<string, string> = {}) =>
    fetch(target, { method: "POST", body, headers });
  return { ...gateway, output, target, post };
}

async function statusAndError(response: Response): Promise<unknown[]> {
  const { error } = (await response.json()) as { error: unknown }; // every error has this form
  return [response.status, error];
}

test("the body is one message; an empty 200 follows once the output has acknowledged it", async () => {
  const confirmed = Promise.withResolvers<Delivered>();
  const gateway = await producing({ confirm: () => confirmed.promise });
  let answered = false;
  const answer = gateway.post('{"id":1}').then((response) => {
    answered = true;
    return response;
  });
  await until(() => gateway.output.texts.length === 1);
  assert.not(answered);
  confirmed.resolve({});
  const response = await answer;
  assert.equal([response.status, await response.text()], [200, ""]);
  assert.equal(gateway.output.texts, ['{"id":1}']);
  await gateway.close();
});

test("bytes pass unchanged, and so does an empty body", async () => {
  const gateway = await producing();
  const bytes = Uint8Array.of(0, 255, 128, 10, 13);
  await gateway.post(bytes);
  await gateway.post("");
  const contents = gateway.output.batches.flat().map((message) => [...message.bytes()]);
  assert.equal(contents, [[0, 255, 128, 10, 13], []]);
  await gateway.close();
});

test("metadata: http_server_*, headers, path, query, cookies; the first of a name wins", async () => {
  const gateway = await producing();
  const response = await fetch(
    `${gateway.target}?Content-Type=fake&page=2&page=3&region=us&session=query&a%20b=c`,
    {
      method: "PUT",
      body: "x",
      headers: {
        "content-type": "text/plain",
        "x-TRACE-id": "t1",
        "user-agent": "tests",
        authorization: "Bearer secret",
        cookie: "session=cookie; theme=dark; broken",
        page: "header",
      },
    },
  );
  assert.is(response.status, 200);
  const metadata = gateway.output.batches[0]?.[0]?.metadata ?? new Map();
  const expected = {
    http_server_user_agent: "tests",
    http_server_request_path: "/orders/eu/new",
    http_server_verb: "PUT",
    http_server_remote_ip: "127.0.0.1",
    "Content-Type": "text/plain",
    "X-Trace-Id": "t1",
    Page: "header",
    region: "eu",
    page: "2",
    session: "query",
    theme: "dark",
    "a b": "c",
  };
  for (const [name, value] of Object.entries(expected)) assert.is(metadata.get(name), value, name);
  const names = [...metadata.keys()];
  assert.equal(
    names.slice(0, 4).map((name) => name.slice(0, 12)),
    Array(4).fill("http_server_"),
  );
  for (const name of ["Authorization", "Cookie", "Host", "Connection", "Content-Length", "broken"]) {
    assert.not(names.includes(name), name);
  }
  assert.not.match(JSON.stringify([...metadata]), "secret");
  await gateway.close();
});

test("metadata: query parameters and cookies never take the name of a header, present or not", async () => {
  const gateway = await producing();
  const names = [
    "X-User-Id",
    "Authorization",
    "Page",
    "http_server_tls_subject",
    "page",
    "pageSize",
    "ID",
    "7",
  ];
  const query = names.map((name) => `${name}=query`).join("&");
  const cookie = names.map((name) => `${name}-C=cookie; ${name}=cookie`).join("; ");
  await fetch(`${gateway.target}?${query}`, { method: "PUT", body: "x", headers: { cookie } });
  const metadata = gateway.output.batches[0]?.[0]?.metadata ?? new Map();
  const taken = [...metadata].filter(([, value]) => value === "query" || value === "cookie");
  assert.equal(
    taken.map(([name]) => name),
    ["page", "pageSize", "ID", "7", "page-C", "pageSize-C", "ID-C"],
  );
  await gateway.close();
});

test("compressed bodies are decompressed", async () => {
  const gateway = await producing({ maxBodyBytes: 1_000_000 });
  const long = "6".repeat(500_000);
  const packed: [string, Uint8Array][] = [
    ["gzip", gzipSync("one")],
    ["deflate", deflateSync("two")],
    ["br", brotliCompressSync("three")],
    ["zstd", Buffer.concat([zstdCompressSync("fo"), zstdCompressSync("ur")])],
    ["gzip, br", brotliCompressSync(gzipSync("five"))],
    // Short, and above what is decoded at once.
    ["x-gzip", gzipSync(long)],
    ["identity", Buffer.from("seven")],
  ];
  for (const [encoding, body] of packed) {
    const response = await gateway.post(new Uint8Array(body), { "content-encoding": encoding });
    assert.is(response.status, 200, encoding);
  }
  assert.equal(gateway.output.texts, ["one", "two", "three", "four", "five", long, "seven"]);
  assert.is(gateway.output.batches[0]?.[0]?.metadata.has("Content-Encoding"), false);
  await gateway.close();
});

test("the limit applies to decompressed bytes; invalid and unknown encodings are rejected", async () => {
  const gateway = await producing();
  const tooLarge = [413, "Request body is too large"];
  assert.is((await gateway.post("a".repeat(2000))).status, 200);
  assert.equal(await statusAndError(await gateway.post("a".repeat(2001))), tooLarge);
  const bomb = new Uint8Array(gzipSync("a".repeat(1_000_000)));
  assert.ok(bomb.length < 2000);
  assert.equal(await statusAndError(await gateway.post(bomb, { "content-encoding": "gzip" })), tooLarge);
  const cut = new Uint8Array(gzipSync("hello").subarray(0, 15));
  const broken = [400, "Request body is malformed"];
  assert.equal(await statusAndError(await gateway.post(cut, { "content-encoding": "gzip" })), broken);
  assert.equal(await statusAndError(await gateway.post("plain", { "content-encoding": "br" })), broken);
  const unknown = await gateway.post("x", { "content-encoding": "constructor" });
  assert.is(unknown.headers.get("accept-encoding"), "gzip, deflate, br, zstd");
  assert.equal(await statusAndError(unknown), [415, "Content-Encoding is not supported"]);
  assert.is(gateway.output.batches.length, 1);
  assert.is((await gateway.post("still there")).status, 200);
  await gateway.close();
});

test("a body over the limit without a length is rejected", async () => {
  const gateway = await producing();
  const body = new ReadableStream({
    start(controller) {
      for (let count = 0; count < 5; count += 1) controller.enqueue(new Uint8Array(500));
      controller.close();
    },
  });
  const response = await fetch(gateway.target, { method: "POST", body, duplex: "half" } as RequestInit);
  assert.is(response.status, 413);
  await gateway.close();
});

test("multipart is a batch, each part with its own type", async () => {
  const gateway = await producing();
  const form = new FormData();
  form.append("a", "first");
  form.append("b", new Blob(["sec\r\nond"], { type: "application/json" }), "b.json");
  assert.is((await fetch(gateway.target, { method: "POST", body: form })).status, 200);
  assert.is(gateway.output.batches.length, 1);
  assert.equal(gateway.output.texts, ["first", "sec\r\nond"]);
  const types = gateway.output.batches[0]?.map((message) => message.metadata.get("Content-Type"));
  assert.equal(types, [undefined, "application/json"]);
  const broken = await gateway.post("--x\r\nno end", { "content-type": "multipart/form-data; boundary=x" });
  assert.equal(await statusAndError(broken), [400, "Multipart body is malformed"]);
  await gateway.close();
});

test("failed processing is 422, failed delivery 502, a timeout 408", async () => {
  const stuck = Promise.withResolvers<Delivered>();
  const confirm = (batch: Batch) => {
    if (batch.map(textOf).join() === "stuck") return stuck.promise;
    throw new GatewayError(502, "Broker refused the message");
  };
  const gateway = await producing({ confirm, timeout: 30 });
  assert.equal(await statusAndError(await gateway.post("bad")), [422, "number expected"]);
  assert.equal(await statusAndError(await gateway.post("any")), [502, "Broker refused the message"]);
  assert.equal(await statusAndError(await gateway.post("stuck")), [408, "Request timed out after 0.03 s"]);
  stuck.resolve({});
  await gateway.close();
});

test("the response of the stream is the reply: one message unchanged, several as multipart", async () => {
  const texts = (batch: Batch) => batch.map(textOf).join();
  const typed = new Map([["Content-Type", "text/plain"]]);
  const confirm = (batch: Batch): Delivered => ({
    response: texts(batch)
      .split("+")
      .map((text) => Message.fromText(text, typed)),
  });
  const gateway = await producing({ confirm });
  const single = await gateway.post("hello");
  assert.equal([single.headers.get("content-type"), await single.text()], ["text/plain", "hello"]);
  const several = await gateway.post("a+b");
  const boundary = several.headers.get("content-type")?.replace("multipart/form-data; boundary=", "");
  const part = (text: string) => `--${boundary}\r\nContent-Type: text/plain\r\n\r\n${text}\r\n`;
  assert.is(await several.text(), `${part("a")}${part("b")}--${boundary}--\r\n`);
  await gateway.close();
});

test("a caller that disconnects while waiting affects no other", async () => {
  const confirmed = Promise.withResolvers<Delivered>();
  const gateway = await producing({ confirm: () => confirmed.promise });
  const leaving = new AbortController();
  const left = fetch(gateway.target, { method: "POST", body: "x", signal: leaving.signal }).catch(
    () => "left",
  );
  await until(() => gateway.output.texts.length === 1);
  leaving.abort();
  assert.is(await left, "left");
  confirmed.resolve({});
  assert.is((await gateway.post("y")).status, 200);
  await gateway.close();
});

test("a caller that disconnects in the middle of a body delivers nothing", async () => {
  const gateway = await producing();
  const request = httpRequest(gateway.target, { method: "POST", headers: { "content-length": "10" } });
  request.on("error", () => undefined);
  request.write("half");
  await once(request, "socket");
  await until(() => request.socket?.bytesWritten);
  request.destroy();
  assert.is((await gateway.post("whole")).status, 200);
  assert.equal(gateway.output.texts, ["whole"]);
  await gateway.close();
});

test("closing answers waiting callers, then rejects", async () => {
  const confirmed = Promise.withResolvers<Delivered>();
  const gateway = await producing({ confirm: () => confirmed.promise });
  const answer = gateway.post("x");
  await until(() => gateway.output.texts.length === 1);
  const closing = gateway.close();
  await until(() => gateway.streams.states()[0]?.status === "draining");
  confirmed.resolve({});
  assert.is((await answer).status, 200);
  await closing;
});

test("callers that wait at the deadline get 503", async () => {
  const refused = Promise.withResolvers<never>();
  const output: Output = {
    async start() {},
    write: () => refused.promise,
    async close() {
      refused.reject(new GatewayError(503, "Gateway is closing"));
    },
  };
  const intake = () => ({ input: plainHttpServerInput({ path: "/new" }), output });
  const gateway = await startGateway([ordersApi({ intake })], {
    environment: { GW_SHUTDOWN_TIMEOUT: "50ms" },
  });
  await until(() => gateway.streams.states()[0]?.status === "running");
  const answer = fetch(`${gateway.url}/orders/new`, { method: "POST", body: "x" });
  await until(() => gateway.streams.states()[0]?.messages.inFlight === 1);
  await gateway.close();
  assert.is((await answer).status, 503);
});

test.run();
