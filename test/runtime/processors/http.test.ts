import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { createNameFilter } from "../../../runtime/message/name-filter.ts";
import { http } from "../../../runtime/processors/http.ts";
import { httpServer } from "../../harness/http-server.ts";
import { batchOf, componentContext, textOfBatch } from "../connectors/contexts.ts";

const test = suite("http processor");

test("the response replaces the message, whose metadata stay", async () => {
  const server = await httpServer(({ body }) => ({
    status: 201,
    headers: { "X-Trace": "t1", "X-Other": "o" },
    body: `seen ${body}`,
  }));
  const step = http({
    url: (batch, index) => `${server.url}/orders/${textOfBatch(batch.slice(index, index + 1))}`,
    headers: { Authorization: "Bearer x" },
    extract_headers: createNameFilter({ include_prefixes: ["x-tr"], include_patterns: ["^date$"] }),
  });
  const metadata = new Map([
    ["kept", "yes"],
    ["content-type", "text/plain"],
  ]);
  const [batch] = await step.process(
    [Message.fromText("1", metadata), Message.fromText("2")],
    componentContext(),
  );
  assert.is(textOfBatch(batch ?? []), "seen 1 seen 2");
  const received = batch?.[0]?.metadata;
  assert.is(received?.get("kept"), "yes");
  assert.is(received?.get("http_status_code"), 201);
  assert.is(received?.get("x-trace"), "t1");
  assert.not.ok(received?.has("x-other"));
  assert.ok(received?.has("date"));
  const [first, second] = server.requests;
  assert.equal([first?.method, first?.path, first?.body], ["POST", "/orders/1", "1"]);
  assert.is(first?.headers.authorization, "Bearer x");
  assert.is(first?.headers["content-type"], "text/plain");
  assert.is(second?.headers["content-type"], "application/octet-stream");
  await server.close();
});

test("the body is the payload or else the message, whatever the method", async () => {
  const server = await httpServer();
  const send = (options: Partial<Parameters<typeof http>[0]>, text = "message") =>
    http({ url: server.url, ...options }).process(batchOf(text), componentContext());
  await send({ payload: '{"a":1}', headers: { "Content-Type": "application/json" } });
  for (const verb of ["GET", "HEAD", "DELETE", "OPTIONS"] as const) {
    await send({ verb });
    await send({ verb }, "");
  }
  await send({ verb: "GET", payload: "" });
  await send({ verb: "PUT" }, "");
  const type = "application/octet-stream";
  assert.equal(
    server.requests.map(({ method, body, headers }) => [
      method,
      body,
      headers["content-type"],
      headers["content-length"],
      headers["transfer-encoding"],
    ]),
    [
      ["POST", '{"a":1}', "application/json", "7", undefined],
      ...["GET", "HEAD", "DELETE", "OPTIONS"].flatMap((verb) => [
        [verb, "message", type, "7", undefined],
        [verb, "", type, undefined, undefined],
      ]),
      ["GET", "", type, undefined, undefined],
      ["PUT", "", type, "0", undefined],
    ],
  );
  await server.close();
});

test("a failed response is reported to mappings with its address and body, as in the reference", async () => {
  const server = await httpServer(() => ({ status: 404, body: "no such\norder" }));
  const step = http({ url: server.url, retries: 0 });
  const [batch] = await step.process(batchOf("m"), componentContext());
  const code = "HTTP request returned unexpected response code (404): 404 Not Found";
  assert.is(batch?.[0]?.failure?.message, `${new URL(server.url)}: ${code}, Error: no suchorder`);
  assert.is(batch?.[0]?.metadata.get("http_status_code"), 404);
  await server.close();
});

test("drop_on takes precedence over backoff_on, that over successful_on, that over 2xx", async () => {
  const statuses = [404, 500, 429, 503, 200, 304, 204];
  const server = await httpServer(() => ({ status: statuses.shift() ?? 200 }));
  const step = http({
    url: server.url,
    retries: 2,
    retry_period: 1,
    max_retry_backoff: 2,
    drop_on: [404, 204],
    backoff_on: [404, 429, 503],
    successful_on: [304, 404, 503],
  });
  const next = async () => (await step.process(batchOf("m"), componentContext()))[0]?.[0];
  const dropped = await next();
  assert.is(dropped?.failure?.answer, "The HTTP request was answered with status 404");
  assert.is(dropped?.failure?.retryable, false);
  assert.is(server.requests.length, 1);
  const exhausted = await next();
  assert.is(exhausted?.failure?.answer, "The HTTP request was answered with status 503");
  assert.is(exhausted?.failure?.retryable, true);
  assert.is(server.requests.length, 4);
  assert.is((await next())?.metadata.get("http_status_code"), 200);
  assert.is((await next())?.metadata.get("http_status_code"), 304);
  assert.is((await next())?.failure?.answer, "The HTTP request was answered with status 204");
  await server.close();
});

test("credentials in the URL are sent as a header, unless there is one", async () => {
  const server = await httpServer();
  const url = server.url.replace("//", "//u:p%20%C3%A9@");
  await http({ url }).process(batchOf("a"), componentContext());
  await http({ url, headers: { Authorization: "Bearer x" } }).process(batchOf("a"), componentContext());
  const basic = `Basic ${Buffer.from("u:p é").toString("base64")}`;
  assert.equal(
    server.requests.map(({ headers }) => headers.authorization),
    [basic, "Bearer x"],
  );
  await server.close();
});

test("a message whose request cannot be made or answered passes unchanged, flagged", async () => {
  const server = await httpServer(() => new Promise(() => undefined));
  const failing = () => {
    throw new MappingError("no id");
  };
  for (const [options, reason, retryable] of [
    [{ url: "not a url" }, "The HTTP request cannot be made: its URL cannot be read", false],
    [
      { url: server.url, headers: { a: "b\nc" } },
      "The HTTP request cannot be made: its header `a` holds characters that headers cannot hold",
      false,
    ],
    // A byte that is not UTF-8: sent as U+FFFD, it would be the same as any other.
    [
      { url: server.url, headers: { a: "\udcff" } },
      "The HTTP request cannot be made: its header `a` holds characters that headers cannot hold",
      false,
    ],
    [{ url: failing }, "no id", false],
    [{ url: server.url, timeout: 20, retries: 0 }, "The HTTP request took too long", true],
    [{ url: "http://127.0.0.1:1/", retries: 1, retry_period: 1 }, "The HTTP request failed", true],
  ] as const) {
    const [batch] = await http(options).process(batchOf("as it was"), componentContext());
    assert.is(textOfBatch(batch ?? []), "as it was");
    assert.is(batch?.[0]?.failure?.answer, reason);
    assert.is(batch?.[0]?.failure?.retryable, retryable);
    // The log also contains causes, and messages of the platform quote addresses and headers.
    assert.not.match(String(batch?.[0]?.failure?.cause), /not a url|b\nc/);
  }
  for (const [options, text] of [
    [{ url: failing }, "url interpolation error: no id"],
    [{ url: server.url, headers: { "X-Id": failing } }, "header 'X-Id' interpolation error: no id"],
  ] as const) {
    const [batch] = await http(options).process(batchOf("x"), componentContext());
    assert.is(batch?.[0]?.failure?.message, text);
  }
  await server.close();
});

test.run();
