import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { HttpEndpoint } from "../../../runtime/component/endpoint.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";
import { createCounters } from "../../../runtime/stream/stream-state.ts";
import { httpServer } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { manualInput, memoryOutput } from "./components.ts";
import { ordersApi, startGateway } from "./start-gateway.ts";

/** Returns an input that serves `/new` with `handle`. */
function endpointInput(handle: HttpEndpoint["handle"], path = "/new", verbs = ["POST"]) {
  return Object.assign(manualInput(), { endpoints: [{ transport: "http", verbs, path, handle } as const] });
}

function intake(handle: HttpEndpoint["handle"], path?: string) {
  return { intake: () => ({ input: endpointInput(handle, path), output: memoryOutput() }) };
}

async function unused(): Promise<void> {}

/** Sends a request with exactly this target, which `fetch` cannot do. */
async function raw(
  url: string,
  path: string,
  method = "GET",
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  const { hostname, port } = new URL(url);
  const request = httpRequest({ hostname, port, path, method, headers }).end();
  const [response] = await once(request, "response");
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

async function statusAndError(response: Response): Promise<unknown[]> {
  const { error } = (await response.json()) as { error: unknown }; // every error has this form
  return [response.status, response.headers.get("content-type"), error];
}

const json = "application/json";

test("a stream route gets the request with the path below the listen path and its parameters", async () => {
  const seen: unknown[] = [];
  const gateway = await startGateway([
    ordersApi(
      intake(async ({ path, params, url, remoteAddress, response }) => {
        seen.push(path, [...params], url.href.replace(gateway.url, ""), remoteAddress);
        response.end("ok");
      }, "/{region}/new"),
    ),
  ]);
  const response = await fetch(`${gateway.url}/orders/e%20u/new?x=1`, { method: "POST" });
  assert.is(await response.text(), "ok");
  assert.equal(seen, ["/e%20u/new", [["region", "e u"]], "/orders/e%20u/new?x=1", "127.0.0.1"]);
  await gateway.close();
});

test("404 without route and upstream, 405 with Allow for another verb", async () => {
  const gateway = await startGateway([ordersApi(intake(async ({ response }) => void response.end()))]);
  assert.equal(await statusAndError(await fetch(`${gateway.url}/other`)), [404, json, "not found"]);
  assert.equal(await statusAndError(await fetch(`${gateway.url}/orders/other`)), [404, json, "not found"]);
  assert.equal(await statusAndError(await fetch(`${gateway.url}/ordersx/new`)), [404, json, "not found"]);
  const wrongVerb = await fetch(`${gateway.url}/orders/new`);
  assert.is(wrongVerb.headers.get("allow"), "POST");
  assert.equal(await statusAndError(wrongVerb), [405, json, "Method not allowed"]);
  await gateway.close();
});

test("known errors have their own status, unknown ones are a bare 500", async () => {
  let failure: Error = new GatewayError(429, "Slow down", { retryAfter: 1.2 });
  const gateway = await startGateway([
    ordersApi(
      intake(async () => {
        throw failure;
      }),
    ),
  ]);
  const post = () => fetch(`${gateway.url}/orders/new`, { method: "POST" });
  const limited = await post();
  assert.is(limited.headers.get("retry-after"), "2");
  assert.equal(await statusAndError(limited), [429, json, "Slow down"]);
  failure = new TypeError("secret detail");
  assert.equal(await statusAndError(await post()), [500, json, "Internal error"]);
  assert.match(JSON.stringify(gateway.lines), "secret detail");
  await gateway.close();
});

test("ambiguous paths, hosts and request targets are rejected", async () => {
  const upstream = await httpServer();
  const gateway = await startGateway([ordersApi({}, upstream.url)]);
  for (const path of ["/orders/../x", "/orders/%2e%2e/x", "/orders/a%5cb", "/orders/%zz"]) {
    assert.is((await raw(gateway.url, path)).status, 400, path);
  }
  assert.is((await raw(gateway.url, "/orders/a", "GET", { host: "a/b@c" })).status, 400);
  assert.is((await raw(gateway.url, "http://other/orders/a", "GET", { host: "any" })).status, 400);
  assert.is((await raw(gateway.url, "http://ANY/orders/%2F/a?b", "GET", { host: "any" })).status, 200);
  assert.equal(
    upstream.requests.map(({ path }) => path),
    ["/%2F/a?b"],
  );
  await gateway.close();
  await upstream.close();
});

test("a malformed request head gets 400 and the gateway continues", async () => {
  const gateway = await startGateway([]);
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  socket.write("nonsense\r\n\r\n");
  assert.match(await text(socket), /^HTTP\/1\.1 400 Bad Request\r\n.*\{"error":"Bad request"\}$/s);
  assert.is((await fetch(gateway.url)).status, 404);
  await gateway.close();
});

test("the proxy passes method, path, query, headers and body both ways", async () => {
  const upstream = await httpServer(() => ({
    status: 201,
    headers: { "x-reply": "yes", "set-cookie": "a=b", location: `${upstream.url}/made/1` },
    body: { done: true },
  }));
  const gateway = await startGateway([ordersApi({}, `${upstream.url}/`)]);
  const response = await fetch(`${gateway.url}/orders/things/a%2Fb?x=1&x=%20`, {
    method: "PUT",
    body: "content",
    headers: {
      "x-own": "1",
      "x-forwarded-for": "6.6.6.6",
      forwarded: "for=6.6.6.6",
      connection: "keep-alive",
    },
  });
  assert.equal(await response.json(), { done: true });
  assert.is(response.status, 201);
  assert.equal(response.headers.get("x-reply"), "yes");
  assert.equal(response.headers.getSetCookie(), ["a=b"]);
  assert.is(response.headers.get("location"), `${gateway.url}/orders/made/1`);
  const [seen] = upstream.requests;
  assert.equal([seen?.method, seen?.path, seen?.body], ["PUT", "/things/a%2Fb?x=1&x=%20", "content"]);
  assert.is(seen?.headers["x-own"], "1");
  assert.is(seen?.headers["x-forwarded-for"], "127.0.0.1");
  assert.is(seen?.headers["x-forwarded-host"], new URL(gateway.url).host);
  assert.is(seen?.headers["x-forwarded-proto"], "http");
  assert.is(seen?.headers.forwarded, undefined);
  await gateway.close();
  await upstream.close();
});

test("the proxy drops hop-by-hop headers", async () => {
  const upstream = await httpServer();
  const gateway = await startGateway([ordersApi({}, upstream.url)]);
  await raw(gateway.url, "/orders/a", "GET", {
    connection: "close, x-private",
    "x-private": "1",
    te: "trailers",
    "proxy-authorization": "Basic x",
  });
  const names = Object.keys(upstream.requests[0]?.headers ?? {});
  for (const name of ["x-private", "te", "proxy-authorization"]) assert.not(names.includes(name), name);
  assert.ok(names.includes("x-forwarded-for"));
  await gateway.close();
  await upstream.close();
});

test("the proxy streams: the first part of a response arrives before the last is sent", async () => {
  const finish = Promise.withResolvers<void>();
  const { createServer } = await import("node:http");
  const upstream = createServer(async (_request, response) => {
    response.write("first");
    await finish.promise;
    response.end("last");
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const address = upstream.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const gateway = await startGateway([ordersApi({}, `http://127.0.0.1:${port}`)]);
  const response = await fetch(`${gateway.url}/orders/slow`);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.is((await reader?.read())?.value, "first");
  finish.resolve();
  assert.is((await reader?.read())?.value, "last");
  await gateway.close();
  upstream.closeAllConnections();
  upstream.close();
});

test("an unreachable upstream is 502, a body over the limit 413", async () => {
  const upstream = await httpServer();
  const gateway = await startGateway([ordersApi({}, upstream.url)], { maxBodyBytes: 1000 });
  const url = `${gateway.url}/orders/a`;
  assert.is((await fetch(url, { method: "POST", body: "a".repeat(1000) })).status, 200);
  const known = await fetch(url, { method: "POST", body: "a".repeat(1001) });
  assert.equal(await statusAndError(known), [413, json, "Request body is too large"]);
  const body = new ReadableStream({
    start(controller) {
      for (let count = 0; count < 3; count += 1) controller.enqueue(new Uint8Array(500));
      controller.close();
    },
  });
  const unknown = await fetch(url, { method: "POST", body, duplex: "half" } as RequestInit);
  assert.equal(await statusAndError(unknown), [413, json, "Request body is too large"]);
  await upstream.close();
  assert.equal(await statusAndError(await fetch(url)), [502, json, "Upstream is not reachable"]);
  assert.is((await fetch(url)).status, 502);
  const lines = gateway.lines.filter(({ msg }) => msg === "upstream not reached");
  assert.equal(
    lines.map(({ level, reason }) => [level, reason]),
    ["warn", "debug"].map((level) => [
      level,
      `upstream \`${new URL(upstream.url).host}\` unreachable (connection refused)`,
    ]),
    "the log says why, and again only for those who look for it",
  );
  await gateway.close();
});

test("with streaming disabled no stream starts, and its routes go down the chain", async () => {
  const upstream = await httpServer(() => ({ body: "upstream" }));
  const made: string[] = [];
  const streams = {
    intake: () => {
      made.push("intake");
      return {
        input: endpointInput(async ({ response }) => void response.end("stream")),
        output: memoryOutput(),
      };
    },
  };
  const answer = async (streaming: boolean, GW_STREAMING_ENABLED?: string) => {
    const options = { streaming, environment: { GW_STREAMING_ENABLED } };
    const gateway = await startGateway([ordersApi(streams, upstream.url)], options);
    const response = await fetch(`${gateway.url}/orders/new`, { method: "POST" });
    await gateway.close();
    reported.push(gateway.lines.some(({ msg }) => msg === "streaming is switched off"));
    return response.text();
  };
  const reported: boolean[] = [];
  assert.is(await answer(false), "upstream");
  assert.is(await answer(true, "false"), "upstream");
  assert.equal(made, []);
  assert.is(await answer(true), "stream");
  assert.is(await answer(false, "true"), "stream");
  assert.equal(reported, [true, true, false, false]);
  await upstream.close();
});

test("steps of the host run before streams and upstream, for sockets too", async () => {
  const order: string[] = [];
  const gateway = await startGateway(
    [
      ordersApi(
        intake(async ({ response }) => {
          order.push("stream");
          response.end();
        }),
      ),
    ],
    {
      steps: {
        "rate-limit": () => {
          order.push("rate-limit");
          return "next";
        },
        authentication: (call) => {
          order.push(`authentication of ${call.api?.api.definition.id}`);
          return call.request.headers["x-key"] === "good" ? "next" : new GatewayError(401, "No key");
        },
      },
    },
  );
  const url = `${gateway.url}/orders/new`;
  assert.is((await fetch(url, { method: "POST", headers: { "x-key": "good" } })).status, 200);
  assert.equal(order, ["authentication of orders", "rate-limit", "stream"]);
  assert.equal(await statusAndError(await fetch(url, { method: "POST" })), [401, json, "No key"]);
  const upgrade = { connection: "upgrade", upgrade: "websocket" };
  assert.is((await raw(gateway.url, "/orders/new", "GET", upgrade)).status, 401);
  assert.is((await raw(gateway.url, "/orders/new", "GET", { ...upgrade, "x-key": "good" })).status, 404);
  assert.is((await raw(gateway.url, "/nowhere", "GET", upgrade)).status, 404);
  await gateway.close();
});

test("an offer of h2c is not an upgrade", async () => {
  const gateway = await startGateway([ordersApi(intake(async ({ response }) => void response.end("plain")))]);
  const headers = {
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABkAAQAAP__",
  };
  assert.is((await raw(gateway.url, "/orders/new", "POST", headers)).body, "plain");
  await gateway.close();
});

test("the admin listener reports liveness, readiness and streams", async () => {
  let away = true;
  const gateway = await startGateway([
    ordersApi({
      intake: () => ({
        input: manualInput(() => {
          if (away) throw new GatewayError(503, "Broker is away");
        }),
        output: memoryOutput(),
      }),
    }),
  ]);
  const get = async (path: string) => {
    const response = await fetch(`${gateway.admin}${path}`);
    return [response.status, await response.json()];
  };
  assert.equal(await get("/healthz"), [200, { status: "ok" }]);
  await until(() => gateway.streams.states()[0]?.status === "failed");
  assert.equal(await get("/readyz"), [
    503,
    { status: "not ready", reasons: ["orders/intake: Broker is away"] },
  ]);
  assert.equal(await get("/other"), [404, { error: "not found" }]);
  away = false;
  await until(async () => (await get("/readyz"))[0] === 200);
  const messages = createCounters();
  const { lastError } = gateway.streams.states()[0] ?? {};
  assert.is(lastError?.reason, "Broker is away");
  const row = { api: "orders", stream: "intake", status: "running", messages, lastError };
  assert.equal(await get("/streams"), [200, { streams: [row] }]);
  await gateway.close();
});

test("routes of a stream that is not running yet are 503", async () => {
  const gateway = await startGateway([
    ordersApi({
      intake: () => ({
        input: Object.assign(
          manualInput(() => {
            throw new GatewayError(503, "Broker is away");
          }),
          { endpoints: endpointInput(async () => undefined).endpoints },
        ),
        output: memoryOutput(),
      }),
    }),
  ]);
  const response = await fetch(`${gateway.url}/orders/new`, { method: "POST" });
  assert.is(response.headers.get("retry-after"), "1");
  assert.equal(await statusAndError(response), [503, json, "Stream is not running"]);
  await gateway.close();
});

test("all missing variables are reported before anything opens", async () => {
  const api = {
    ...ordersApi({
      intake: (env) => ({ input: endpointInput(unused, env.text("BROKER")), output: memoryOutput() }),
      other: (env) => ({ input: endpointInput(unused, `${env.integer("PORT")}`), output: memoryOutput() }),
    }),
    upstream: (env: { text(name: string): string }) => proxyTo({ url: env.text("UPSTREAM") }),
  };
  const environment = { PORT: "x" };
  try {
    await startGateway([api], { environment });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, EnvironmentError);
    const { problems } = error as EnvironmentError;
    assert.equal(problems, ["UPSTREAM is not set", "BROKER is not set", "PORT is not an integer"]);
  }
});

test("listen addresses are logged once, as data", async () => {
  const gateway = await startGateway([]);
  const [line] = gateway.lines.filter(({ msg }) => msg === "listening");
  assert.equal([line?.level, line?.gateway, line?.admin], ["info", gateway.url, gateway.admin]);
  assert.match(gateway.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.ok(Date.parse(String(line?.time)) > 0);
  await gateway.close();
});

test("closing lets a request in flight finish and accepts no new one", async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const gateway = await startGateway([
    ordersApi(
      intake(async ({ response }) => {
        started.resolve();
        await finish.promise;
        response.end("finished");
      }),
    ),
  ]);
  const answer = fetch(`${gateway.url}/orders/new`, { method: "POST" });
  await started.promise;
  const closing = gateway.close();
  await until(
    () =>
      fetch(gateway.url).then(
        () => false,
        () => true,
      ),
    { what: "the end of listening" },
  );
  const ready = await fetch(`${gateway.admin}/readyz`);
  assert.equal(
    [ready.status, await ready.json()],
    [503, { status: "not ready", reasons: ["shutting down"] }],
  );
  finish.resolve();
  const response = await answer;
  assert.is(response.headers.get("connection"), "close");
  assert.is(await response.text(), "finished");
  await closing;
  assert.is(gateway.close(), gateway.close());
});

test("a request that never ends is aborted at the deadline", async () => {
  const started = Promise.withResolvers<void>();
  const gateway = await startGateway(
    [
      ordersApi(
        intake(async () => {
          started.resolve();
          await new Promise(() => undefined);
        }),
      ),
    ],
    { environment: { GW_SHUTDOWN_TIMEOUT: "50ms" } },
  );
  const answer = fetch(`${gateway.url}/orders/new`, { method: "POST" }).then(
    () => "answered",
    () => "cut",
  );
  await started.promise;
  await gateway.close();
  assert.is(await answer, "cut");
});

test.run();
