import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Message } from "../../../runtime/message/message.ts";
import { createNameFilter } from "../../../runtime/message/name-filter.ts";
import { httpDefaults } from "../../../runtime/processors/generated/http-options.ts";
import { http } from "../../../runtime/processors/http.ts";
import { basicCredentials } from "../../../runtime/requests/basic-credentials.ts";
import { createCaller } from "../../../runtime/requests/caller.ts";
import { clientCredentials } from "../../../runtime/requests/client-credentials.ts";
import { hostTest } from "../../../runtime/requests/public-addresses.ts";
import { requestedPause } from "../../../runtime/requests/settings.ts";
import { httpServer, type Reply } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, textOfBatch } from "../connectors/contexts.ts";

const test = suite("requests");

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function processed(
  options: Parameters<typeof http>[0],
  batch = batchOf("m"),
  context = componentContext(),
) {
  const step = http({ retries: 0, ...options });
  try {
    const [result = []] = await step.process(batch, context);
    return result;
  } finally {
    await step.close?.();
  }
}

test("metadata that pass the filter become headers; configured headers win", async () => {
  const server = await httpServer();
  const metadata = new Map<string, string | number>([
    ["X-Tenant", "t1"],
    ["X-Count", 3],
    ["x-written", "from metadata"],
    ["Host", "elsewhere"],
    ["Content-Length", "999"],
    ["X-HTTP-Method-Override", "DELETE"],
    ["x_original_url", "/admin"],
    ["other", "o"],
  ]);
  await processed(
    {
      url: server.url,
      headers: { "X-Written": "by hand" },
      metadata: createNameFilter({ include_prefixes: ["X-", "x-", "Host", "Content-"] }),
    },
    [Message.fromText("m", metadata)],
  );
  const [request] = server.requests;
  assert.is(request?.headers["x-tenant"], "t1");
  assert.is(request?.headers["x-count"], "3");
  assert.is(request?.headers["x-written"], "by hand");
  assert.is(request?.headers.host, new URL(server.url).host);
  assert.is(request?.headers["content-length"], "1");
  assert.is(request?.headers.other, undefined);
  assert.is(request?.headers["x-http-method-override"], undefined);
  assert.is(request?.headers.x_original_url, undefined);
  await server.close();
});

test("a stopping stream aborts a request, and rejects the message instead of flagging it", async () => {
  const server = await httpServer(() => new Promise<Reply>(() => undefined));
  const ending = new AbortController();
  const context = { ...componentContext(), signal: ending.signal };
  const options = { url: server.url, timeout: 3_600_000, retries: 3 };
  const working = processed(options, batchOf("m"), context).catch((error: unknown) => error);
  await until(() => server.requests.length === 1, { what: "the request" });
  ending.abort();
  assert.match(String(await working), "Stream is stopping");
  await server.close();
});

test("GET sends an explicitly configured payload", async () => {
  const server = await httpServer();
  await processed({ url: server.url, verb: "GET", payload: "query" });
  assert.equal(
    server.requests.map(({ method, body }) => [method, body]),
    [["GET", "query"]],
  );
  await server.close();
});

test("compressed responses are decompressed", async () => {
  const server = await httpServer();
  const { createServer } = await import("node:http");
  const packing = createServer((request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(request.method === "HEAD" ? undefined : gzipSync("plain"));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => packing.once("listening", resolve));
  const address = packing.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const url = `http://127.0.0.1:${port}/`;
  assert.is(textOfBatch(await processed({ url })), "plain");
  const [head] = await processed({ url, verb: "HEAD" });
  assert.equal([head?.failure, head?.bytes().length], [undefined, 0]);
  packing.closeAllConnections();
  packing.close();
  await server.close();
});

test("redirects: 307 repeats the request, 303 uses GET, credentials stay with their origin", async () => {
  const other = await httpServer(({ method, body, headers }) => ({
    body: `${method} ${body} ${headers.authorization ?? "nobody"} ${headers["content-type"] ?? "untyped"}`,
  }));
  const server = await httpServer(({ path, method, body, headers }) => {
    if (path === "/same") return { status: 307, headers: { location: "/end" } };
    if (path === "/get") return { status: 303, headers: { location: "/end" } };
    if (path === "/other") return { status: 308, headers: { location: `${other.url}/end` } };
    if (path === "/loop") return { status: 302, headers: { location: "/loop" } };
    return { body: `${method} ${body} ${headers.authorization ?? "nobody"}` };
  });
  const headers = { Authorization: "Bearer x" };
  const at = async (path: string) => {
    const [message] = await processed({ url: server.url + path, headers });
    return message?.failure?.message ?? textOfBatch(message === undefined ? [] : [message]);
  };
  assert.is(await at("/same"), "POST m Bearer x");
  assert.is(await at("/get"), "GET  Bearer x");
  assert.is(await at("/other"), "POST m nobody application/octet-stream");
  assert.is(await at("/loop"), "The HTTP request was redirected too often");
  await Promise.all([server.close(), other.close()]);
});

test("redirects stay within allowed_hosts, and send no credentials to another origin", async () => {
  const other = await httpServer(({ headers }) => ({ body: JSON.stringify(headers) }));
  const server = await httpServer(({ path }) => ({
    status: 307,
    headers: { location: path === "/away" ? `${other.url}/end` : `${other.url}${path}` },
  }));
  const secret = "for-the-first-server";
  const names = [
    "Authorization",
    "Cookie",
    "X-Api-Key",
    "Ocp-Apim-Subscription-Key",
    "X-Auth-Token",
    "X-Client-Secret",
  ];
  const headers = { ...Object.fromEntries(names.map((name) => [name, secret])), "X-Kind": "order" };
  const hostOf = (url: string) => new URL(url).host;
  const url = `${server.url}/away`;
  const at = async (...allowed: readonly string[]) => {
    const own = allowed.length === 0 ? {} : { allowed_hosts: hostTest(allowed) };
    const [message] = await processed({ url, headers, retries: 0, ...own });
    return message?.failure?.message ?? textOfBatch(message === undefined ? [] : [message]);
  };
  assert.is(await at(hostOf(server.url)), "The HTTP request was redirected to a server that is not allowed");
  assert.is(other.requests.length, 0);
  for (const answer of [await at(), await at(hostOf(server.url), hostOf(other.url))]) {
    assert.match(answer, "x-kind");
    assert.not.match(answer, secret);
  }
  await Promise.all([server.close(), other.close()]);
});

test("a failed response keeps its status if its body never ends", async () => {
  let count = 0;
  const closed: Promise<unknown>[] = [];
  const server = createServer((request, response) => {
    count += 1;
    request.resume();
    closed.push(once(response, "close"));
    if (count > 2) response.end("good");
    else response.writeHead(count === 1 ? 404 : 500).write("the beginning");
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const [message] = await processed({ url, retries: 3, retry_period: 1, timeout: 2_000, drop_on: [404] });
  assert.match(message?.failure?.message ?? "", /\(404\): 404 Not Found, Error: the beginning$/);
  assert.is(message?.failure?.retryable, false);
  assert.is(count, 1);

  const caller = createCaller({ ...httpDefaults, url, verb: "GET", retries: 1, retry_period: 1 });
  const request = { verb: "GET", url: new URL(url), headers: new Map(), body: undefined };
  const { signal } = new AbortController();
  const opened = await caller.open(request, { log: componentContext().log, signal }, signal);
  assert.equal([opened.status, count], [200, 3]);
  await closed[1]; // while the caller goes on
  opened.body.destroy();
  caller.close();
  server.closeAllConnections();
  server.close();
});

test("the connection of a response that is not read is closed if its body is long", async () => {
  const unread: Promise<unknown>[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === "/good") return void response.end("good");
    response.writeHead(request.url === "/" ? 302 : 500, { location: "/refused" });
    response.write(Buffer.alloc(8_000_000));
    unread.push(once(response, "close"));
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const caller = createCaller({ ...httpDefaults, url, verb: "GET", retries: 0 });
  const { signal } = new AbortController();
  const request = { verb: "GET", url: new URL(url), headers: new Map(), body: undefined };
  const requester = { log: componentContext().log, signal };
  const refusal = await caller.call(request, requester).catch((error: unknown) => error);
  assert.match(String(refusal), "unexpected response code (500)");
  assert.is(unread.length, 2);
  await Promise.all(unread);
  const good = await caller.call({ ...request, url: new URL("/good", url) }, requester);
  assert.is(String(good.body), "good");
  caller.close();
  server.close();
});

test("a token request is not redirected to another origin", async () => {
  const other = await httpServer(() => ({
    body: JSON.stringify({ access_token: "t", token_type: "Bearer" }),
  }));
  const server = await httpServer(() => ({ status: 307, headers: { location: `${other.url}/token` } }));
  const oauth2 = clientCredentials({
    enabled: true,
    client_key: "shop",
    client_secret: "for-the-first-server",
    token_url: `${server.url}/token`,
  });
  const [message] = await processed({ url: server.url, retries: 0, oauth2 });
  assert.ok(message?.failure);
  assert.is(server.requests.length, 1);
  assert.is(other.requests.length, 0);
  await Promise.all([server.close(), other.close()]);
});

test("Retry-After extends a pause, up to max_retry_backoff", async () => {
  const times: number[] = [];
  const server = await httpServer(() => {
    times.push(performance.now());
    return times.length < 3 ? { status: 503, headers: { "retry-after": "3600" } } : {};
  });
  const [message] = await processed({ url: server.url, retries: 2, retry_period: 1, max_retry_backoff: 60 });
  assert.is(message?.failure, undefined);
  const [first = 0, second = 0, third = 0] = times;
  assert.ok(second - first >= 59 && third - second >= 59);
  assert.ok(third - first < 60_000);
  await server.close();
});

test("Retry-After is a number of seconds or a date", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  assert.is(requestedPause({ "retry-after": "120" }, now), 120_000);
  assert.is(requestedPause({ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }, now), 5_000);
  assert.is(requestedPause({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, now), 0);
  assert.is(requestedPause({ "retry-after": "soon" }, now), 0);
  assert.is(requestedPause({}, now), 0);
});

test("a request answered with success is not repeated when the rest of the response is lost", async () => {
  let count = 0;
  const { createServer } = await import("node:net");
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => {
      count += 1;
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly the beginning");
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const [message] = await processed({ url: `http://127.0.0.1:${port}/`, retries: 3, retry_period: 1 });
  assert.is(message?.failure?.answer, "The HTTP request failed");
  assert.is(count, 1);
  server.close();
});

test("dump_request_log_level logs requests and responses at its level, without credentials", async () => {
  const server = await httpServer(() => ({
    headers: { "X-Trace": "t1", "Set-Cookie": "session=secret-4" },
    body: "the reply",
  }));
  const context = componentContext();
  const options = {
    url: `${server.url}/a?page=2&api_key=secret-1`,
    headers: { "X-Api-Key": "secret-2", "X-Kind": "order" },
    basic_auth: basicCredentials({ enabled: true, username: "u", password: "secret-3" }),
  };
  await processed({ ...options, dump_request_log_level: "WARN" }, batchOf("the message"), context);
  await processed(options, batchOf("unseen"), context);
  const text = JSON.stringify(context.lines);
  for (const shown of ["the message", "the reply", "page=2", "order", "t1"]) assert.match(text, shown);
  assert.not.match(text, "secret-");
  assert.not.match(text, Buffer.from("u:secret-3").toString("base64"));
  assert.not.match(text, "unseen");
  assert.equal(
    context.lines.map(({ level, message }) => [level, message]),
    [
      ["warn", "HTTP request"],
      ["warn", "HTTP reply"],
      ["warn", "body of the HTTP reply"],
    ],
  );
  await server.close();
});

test("parallel sends the messages of a batch concurrently, and keeps their order", async () => {
  const held: ((reply: Reply) => void)[] = [];
  const server = await httpServer(
    ({ body }) =>
      new Promise<Reply>((resolve) => {
        held.push((reply) => resolve({ body: `${body}!`, ...reply }));
        // The server responds only after all requests have arrived, to the last one first.
        if (held.length === 3) for (const answer of held.toReversed()) answer({});
      }),
  );
  const result = await processed({ url: server.url, parallel: true }, batchOf("1", "2", "3"));
  assert.is(textOfBatch(result), "1! 2! 3!");
  await server.close();
});

test("batch_as_multipart sends a batch as one request, and splits the response", async () => {
  const server = await httpServer(({ headers, body }) => ({
    headers: { "content-type": headers["content-type"] ?? "" },
    body: body.replaceAll("one", "ONE"),
  }));
  const batch = ["one", "two"].map((text, index) =>
    Message.fromText(
      text,
      new Map([
        ["Content-Type", "text/plain"],
        ["kept", String(index)],
      ]),
    ),
  );
  const result = await processed({ url: server.url, batch_as_multipart: true }, batch);
  assert.is(textOfBatch(result), "ONE two");
  assert.equal(
    result.map(({ metadata }) => [metadata.get("kept"), metadata.get("http_status_code")]),
    [
      ["0", 200],
      ["1", 200],
    ],
  );
  assert.is(server.requests.length, 1);
  assert.match(server.requests[0]?.headers["content-type"] ?? "", /^multipart\/mixed; boundary=/);
  assert.match(server.requests[0]?.body ?? "", "Content-Type: text/plain\r\n\r\none\r\n");
  await server.close();
  const [first, second] = await processed({ url: server.url, batch_as_multipart: true }, batch);
  assert.ok(first?.failure !== undefined && second?.failure !== undefined);
});

test.run();
