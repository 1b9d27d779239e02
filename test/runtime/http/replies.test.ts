import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { HttpServerInputOptions } from "../../../runtime/connectors/http-server/generated/input-options.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { createNameFilter } from "../../../runtime/message/name-filter.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const test = suite("replies of http_server");

/** Starts a gateway whose stream responds with these messages. */
async function answering(options: HttpServerInputOptions, ...response: readonly Message[]) {
  const output = memoryOutput(() => ({ response }));
  const intake = () => ({ input: httpServerInput(options), output });
  const gateway = await startGateway([ordersApi({ intake })]);
  await until(() => gateway.streams.unready().length === 0);
  const post = () => fetch(`${gateway.url}/orders/new`, { method: "POST", body: "x" });
  return { gateway, post };
}

const reply = Message.fromText(
  "made",
  new Map<string, string | number>([
    ["Content-Type", "text/plain"],
    ["http_status_code", 201],
    ["X-Trace", "t1"],
    ["X-Kind", "from metadata"],
    ["content-length", "999"],
    ["not a header", "n"],
    ["kept", "k"],
  ]),
);

const statusOf: HttpServerInputOptions["sync_response"] = {
  status: (batch) => String(batch[0]?.metadata.get("http_status_code")),
};

test("sync_response sets status and headers, computed from the message", async () => {
  const { gateway, post } = await answering(
    {
      path: "/new",
      sync_response: {
        ...statusOf,
        headers: {
          "X-Kind": (batch) => `kind ${batch[0]?.metadata.get("kept")}`,
          "Content-Type": "text/html",
        },
        metadata_headers: createNameFilter({ include_patterns: ["."] }),
      },
    },
    reply,
  );
  const response = await post();
  assert.equal([response.status, await response.text()], [201, "made"]);
  const { headers } = response;
  assert.is(headers.get("content-type"), "text/html");
  assert.is(headers.get("x-kind"), "kind k");
  assert.is(headers.get("x-trace"), "t1");
  assert.is(headers.get("content-length"), "4");
  await gateway.close();
});

test("a header that UTF-8 cannot hold fails the message", async () => {
  const headers = { "X-Kind": () => "\udcff" };
  const { gateway, post } = await answering({ path: "/new", sync_response: { headers } }, reply);
  const response = await post();
  assert.is(response.status, 422);
  assert.match(await response.text(), /X-Kind of the response holds characters that headers cannot hold/);
  await gateway.close();
});

test("without sync_response the response is 200 with the message's type, and metadata are not exposed", async () => {
  const { gateway, post } = await answering({ path: "/new" }, reply);
  const response = await post();
  assert.equal([response.status, await response.text()], [200, "made"]);
  assert.is(response.headers.get("content-type"), "text/plain");
  assert.is(response.headers.get("x-trace"), null);
  await gateway.close();
});

test("a date that the document sets is the only one", async () => {
  const date = "Mon, 01 Jan 2024 00:00:00 GMT";
  const plain = await answering({ path: "/new" }, reply);
  const dated = await answering({ path: "/new", sync_response: { headers: { Date: date } } }, reply);
  for (const { post } of [plain, dated, plain, dated]) {
    const response = await post();
    const isDated = response.headers.get("date") === date;
    assert.is(isDated, post === dated.post);
    assert.is(await response.text(), "made");
  }
  await plain.gateway.close();
  await dated.gateway.close();
});

test("trailers that the document announces are left out, as none follow", async () => {
  const { gateway, post } = await answering(
    { path: "/new", sync_response: { headers: { Trailer: "X-Sum" } } },
    reply,
  );
  const response = await post();
  assert.equal([response.status, await response.text()], [200, "made"]);
  assert.is(response.headers.get("trailer"), null);
  await gateway.close();
});

test("several messages are sent as parts, with the headers of all", async () => {
  const { gateway, post } = await answering(
    {
      path: "/new",
      sync_response: { ...statusOf, metadata_headers: (name) => /^X-(Trace|Last)$/.test(name) },
    },
    reply,
    Message.fromText("two", new Map([["X-Last", "l2"]])),
  );
  const response = await post();
  assert.is(response.status, 201);
  assert.is(response.headers.get("x-trace"), "t1");
  assert.is(response.headers.get("x-last"), "l2");
  assert.match(response.headers.get("content-type") ?? "", /^multipart\/form-data; boundary=/);
  assert.match(
    await response.text(),
    /text\/plain\r\n\r\nmade\r\n[\s\S]*text\/plain; charset=utf-8\r\n\r\ntwo\r\n/,
  );
  await gateway.close();
});

/** Returns the response with its boundary replaced by `B`. */
async function shapeOf(response: Response): Promise<readonly [type: string, body: string]> {
  const type = response.headers.get("content-type") ?? "";
  const boundary = type.split("boundary=")[1] ?? "";
  const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return [type.replace(boundary, "B"), body.replaceAll(boundary, "B")];
}

test("parts have the types that the reference engine detects from their first bytes", async () => {
  const texts = [
    '{"a":1}',
    "two",
    " <!doctype html>",
    "\xff\xfe\x01",
    '<?xml version="1.0"?>',
    "",
    "%PDF-1",
    "\0\x01",
  ];
  const messages = [...texts, "\xff\xfe\x01b", "a\x80"].map((text) =>
    Message.fromBytes(Buffer.from(text, "latin1")),
  );
  const { gateway, post } = await answering({ path: "/new" }, ...messages);
  const types = [
    "text/plain; charset=utf-8",
    "text/plain; charset=utf-8",
    "text/html; charset=utf-8",
    "application/octet-stream",
    "text/xml; charset=utf-8",
    "text/plain; charset=utf-8",
    "application/pdf",
    "application/octet-stream",
    "text/plain; charset=utf-16le",
    "text/plain; charset=utf-8",
  ];
  const parts = types.map(
    (type, index) =>
      `--B\r\nContent-Type: ${type}\r\n\r\n${Buffer.from(messages[index]?.bytes() ?? []).toString("latin1")}\r\n`,
  );
  assert.equal(await shapeOf(await post()), [
    "multipart/form-data; boundary=B",
    `${parts.join("")}--B--\r\n`,
  ]);
  await gateway.close();
});

test("a `content-type` of sync_response applies to each part; the response stays multipart", async () => {
  const headers = {
    "content-type": (batch: Batch, index: number) =>
      `application/x-${Buffer.from(batch[index]?.bytes() ?? [])}`,
  };
  const sync_response = { headers };
  const two = [Message.fromText("1"), Message.fromText("2")];
  const { gateway, post } = await answering({ path: "/new", sync_response }, ...two);
  const part = (text: string) => `--B\r\nContent-Type: application/x-${text}\r\n\r\n${text}\r\n`;
  assert.equal(await shapeOf(await post()), [
    "multipart/form-data; boundary=B",
    `${part("1")}${part("2")}--B--\r\n`,
  ]);
  await gateway.close();
  const spoken = await answering(
    { path: "/new", sync_response: { headers: { "content-type": "a/é" } } },
    ...two,
  );
  assert.match(await (await spoken.post()).text(), /^--[^\r]+\r\nContent-Type: a\/é\r\n\r\n1\r\n/);
  await spoken.gateway.close();
  const split = {
    headers: { "content-type": (_: Batch, index: number) => (index === 0 ? "a/b" : "a/b\r\nX: secret") },
  };
  const refused = await answering({ path: "/new", sync_response: split }, ...two);
  const refusal = await refused.post();
  assert.is(refusal.status, 422);
  assert.not.match(await refusal.text(), /secret/);
  await refused.gateway.close();
  const capital = { headers: { "Content-Type": "text/html" } };
  const other = await answering({ path: "/new", sync_response: capital }, ...two);
  const [type, body] = await shapeOf(await other.post());
  assert.is(type, "multipart/form-data; boundary=B");
  assert.match(body, /^--B\r\nContent-Type: text\/plain; charset=utf-8\r\n\r\n1\r\n--B/);
  await other.gateway.close();
});

test("several messages are sent in a format that the request accepts", async () => {
  const { gateway } = await answering({ path: "/new" }, Message.fromText('{"a":1}'), Message.fromText("2"));
  const ask = async (accept: string) => {
    const headers = { accept };
    const response = await fetch(`${gateway.url}/orders/new`, { method: "POST", body: "x", headers });
    return [(response.headers.get("content-type") ?? "").split(";")[0], await response.text()] as const;
  };
  assert.equal(await ask("application/json"), ["application/json", '[{"a":1},2]']);
  assert.is((await ask("multipart/mixed, application/xml;q=0.5"))[0], "multipart/mixed");
  assert.is((await ask("application/json, multipart/form-data;q=0.1"))[0], "multipart/form-data");
  assert.is((await ask("application/json;q=0"))[0], "multipart/form-data");
  assert.is((await ask("*/*"))[0], "multipart/form-data");
  await gateway.close();
});

test("a response has the type of its content, not that of the request", async () => {
  const made = { '{"a":1}': "application/json", "[1]": "application/json", "{": "text/plain; charset=utf-8" };
  for (const [text, type] of Object.entries(made)) {
    const { gateway, post } = await answering({ path: "/new" }, Message.fromText(text));
    assert.is((await post()).headers.get("content-type"), type);
    await gateway.close();
  }
  const bytes = Message.fromBytes(Buffer.of(0xff), new Map([["Content-Type", "text/plain;charset=UTF-8"]]));
  const { gateway, post } = await answering({ path: "/new" }, bytes);
  assert.is((await post()).headers.get("content-type"), "application/octet-stream");
  await gateway.close();
});

const failing = (): string => {
  throw new Error("a secret");
};

test("an invalid response is 422, or 502 for an unknown reason, without content of the message", async () => {
  for (const sync_response of [
    ...["created", "99", "600", "101", "2e2", "٢٠٠", "200\r\nx: y", "", "-200", "200.0"].map((status) => ({
      status: () => status,
    })),
    { headers: { "X-Kind": () => "a\nsecret" } },
    { headers: { "X-Kind": () => "secret".repeat(3_000) } },
    { status: failing },
  ]) {
    const { gateway, post } = await answering({ path: "/new", sync_response }, reply);
    const response = await post();
    assert.is(response.status, "status" in sync_response && sync_response.status === failing ? 502 : 422);
    assert.not.match(await response.text(), /secret|created/);
    await gateway.close();
  }
});

const scripted = [
  "text/html",
  "TEXT/HTML; charset=utf-8",
  "application/xhtml+xml",
  "image/svg+xml",
  "text/xml",
  "application/xml",
  "multipart/x-mixed-replace; boundary=a",
  "text/plain, text/html",
  "text",
];

test("the caller's own type is not repeated where a browser would render the response as a page", async () => {
  const echo = { async start() {}, async close() {}, write: async (response: Batch) => ({ response }) };
  const intake = () => ({ input: httpServerInput({ path: "/new" }), output: echo });
  const gateway = await startGateway([ordersApi({ intake })]);
  await until(() => gateway.streams.unready().length === 0);
  const inert = ["text/plain", "application/json; charset=utf-8", "application/vnd.api+json", "image/png"];
  for (const type of [...inert, ...scripted]) {
    const part = "--a\r\nContent-Type: text/html\r\n\r\n<b>\r\n--a--\r\n";
    const response = await fetch(`${gateway.url}/orders/new`, {
      method: "POST",
      body: type.startsWith("multipart/") ? part : "<b>",
      headers: { "content-type": type },
    });
    assert.equal([response.status, await response.text()], [200, "<b>"], type);
    const expected = inert.includes(type) ? type : "application/octet-stream";
    assert.is(response.headers.get("content-type"), expected);
    assert.is(response.headers.get("x-content-type-options"), "nosniff");
  }
  await gateway.close();
});

test("request parameters do not become response headers, nor do headers reserved for documents by pattern", async () => {
  const made = Message.fromBytes(
    Buffer.from("made"),
    new Map([
      ["x-user", "query"],
      ["content-type", "text/html"],
      ["Set-Cookie", "a=b"],
      ["location", "http://evil.example"],
      ["X-Kept", "header"],
    ]),
    undefined,
    new Set(["x-user", "content-type"]),
  );
  const sync_response = { metadata_headers: createNameFilter({ include_patterns: ["."] }) };
  const { gateway, post } = await answering({ path: "/new", sync_response }, made);
  const { headers } = await post();
  assert.is(headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(
    [headers.get("x-user"), headers.get("set-cookie"), headers.get("location")],
    [null, null, null],
  );
  assert.is(headers.get("x-kept"), "header");
  await gateway.close();
});

test("header values that are valid UTF-8 are UTF-8, in requests and responses", async () => {
  const seen: unknown[] = [];
  const output = memoryOutput((batch) => {
    seen.push(batch[0]?.metadata.get("X-Name"));
    return { response: batch };
  });
  const sync_response = { metadata_headers: createNameFilter({ include_patterns: ["^X-Name$"] }) };
  const intake = () => ({ input: httpServerInput({ path: "/new", sync_response }), output });
  const gateway = await startGateway([ordersApi({ intake })]);
  await until(() => gateway.streams.unready().length === 0);
  for (const sent of [Buffer.from("Zoë 日本"), Buffer.from("Zo\u00eb", "latin1")]) {
    const asked = request(`${gateway.url}/orders/new`, {
      method: "POST",
      headers: { "X-Name": sent.toString("latin1") },
    });
    asked.end(Buffer.from("x"));
    const [response]: IncomingMessage[] = await once(asked, "response");
    response?.resume();
    const returned = Buffer.from(String(response?.headers["x-name"]), "latin1").toString();
    assert.is(returned, seen.at(-1));
  }
  assert.equal(seen, ["Zoë 日本", "Zoë"]);
  await gateway.close();
});

test("a status without a body is sent without one", async () => {
  const { gateway, post } = await answering({ path: "/new", sync_response: { status: "204" } }, reply);
  const response = await post();
  assert.equal([response.status, await response.text()], [204, ""]);
  await gateway.close();
});

test("sockets get the welcome and rate-limit messages; a delayed frame is not lost", async () => {
  let left = 0;
  const output = memoryOutput();
  const rate_limit = {
    take() {
      left -= 1;
      return left >= 0 ? 0 : 1;
    },
  };
  const texts = { ws_welcome_message: "welcome", ws_rate_limit_message: "slow down" };
  const intake = () => ({ input: httpServerInput({ ws_path: "/ws", rate_limit, ...texts }), output });
  const gateway = await startGateway([ordersApi({ intake })]);
  await until(() => gateway.streams.unready().length === 0);
  const client = await socket(`${gateway.url.replace("http", "ws")}/orders/ws`);
  assert.is(await client.next(), "welcome");
  client.send("frame");
  assert.is(await client.next(), "slow down");
  assert.equal(output.texts, []);
  left = 1;
  await until(() => output.texts.length === 1);
  assert.equal(output.texts, ["frame"]);
  left = 1;
  client.send("at once");
  await until(() => output.texts.length === 2);
  await client.close();
  await gateway.close();
});

test.run();
