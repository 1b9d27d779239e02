import { suite } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { ServeOptions } from "../../../runtime/gateway/serve.ts";
import { type ApiCorsBlock, apiCors, corsPolicy } from "../../../runtime/http/cors.ts";
import { httpServer } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { socket, UpgradeRefused } from "../../harness/websocket-client.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const test = suite("cors");

const page = "https://shop.example.com";

/** Refuses every request without credentials. Preflight requests never have any. */
const closed: NonNullable<ServeOptions["steps"]> = {
  authentication: ({ request }) =>
    request.headers.authorization === undefined ? new GatewayError(401, "Unauthorized") : "next",
};

async function serving(block: Omit<ApiCorsBlock, "enabled">, target?: string) {
  const output = memoryOutput();
  const intake = () => ({ input: httpServerInput({ path: "/new" }), output });
  const api = { ...ordersApi({ intake }, target), cors: () => apiCors({ enabled: true, ...block }) };
  const gateway = await startGateway([api], { steps: closed });
  await until(() => gateway.streams.unready().length === 0);
  const ask = (method: string, headers: Record<string, string>) =>
    fetch(`${gateway.url}/orders/new`, { method, headers, ...(method === "POST" && { body: "x" }) });
  const preflight = (origin: string, method: string, names?: string) =>
    ask("OPTIONS", {
      origin,
      "access-control-request-method": method,
      ...(names !== undefined && { "access-control-request-headers": names }),
    });
  return { gateway, ask, preflight };
}

/** Serves an API without a CORS policy. */
async function servingPlain(target: string) {
  const intake = () => ({ input: httpServerInput({ path: "/new" }), output: memoryOutput() });
  return { gateway: await startGateway([ordersApi({ intake }, target)]) };
}

/** Returns only the CORS headers. */
function reported({ headers }: Response): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name === "vary" || name.startsWith("access-control-")),
  );
}

test("a preflight request is answered before authentication", async () => {
  const { gateway, preflight } = await serving({
    allowedOrigins: [page],
    allowedMethods: ["POST"],
    allowedHeaders: ["Content-Type", "X-Kind"],
    allowCredentials: true,
    maxAge: 600,
  });
  const response = await preflight(page, "POST", "content-type, x-kind");
  assert.is(response.status, 204);
  assert.equal(reported(response), {
    "access-control-allow-credentials": "true",
    "access-control-allow-headers": "content-type, x-kind",
    "access-control-allow-methods": "POST",
    "access-control-allow-origin": page,
    "access-control-max-age": "600",
    vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  });
  for (const refused of [
    await preflight("https://evil.example.com", "POST"),
    await preflight(page, "DELETE"),
    await preflight(page, "POST", "x-other"),
  ]) {
    assert.equal([refused.status, Object.keys(reported(refused))], [204, ["vary"]]);
  }
  await gateway.close();
});

test("responses have CORS headers, rejections too", async () => {
  const { gateway, ask } = await serving({ allowedOrigins: [page], exposedHeaders: ["X-Trace", "X-Kind"] });
  const expected = {
    "access-control-allow-origin": page,
    "access-control-expose-headers": "X-Trace, X-Kind",
    vary: "Origin",
  };
  const good = await ask("POST", { origin: page, authorization: "x" });
  assert.equal([good.status, reported(good)], [200, expected]);
  const refused = await ask("POST", { origin: page });
  assert.equal([refused.status, reported(refused)], [401, expected]);
  const stranger = await ask("POST", { origin: "https://evil.example.com", authorization: "x" });
  assert.equal(reported(stranger), { vary: "Origin" });
  assert.equal(reported(await ask("POST", { authorization: "x" })), { vary: "Origin" });
  // Without `Access-Control-Request-Method` it is no preflight request, and the method is not supported.
  assert.is((await ask("OPTIONS", { authorization: "x" })).status, 405);
  await gateway.close();
});

test("any origin is allowed as `*`, and never together with credentials", async () => {
  const { gateway, ask, preflight } = await serving({ allowedOrigins: ["*"], allowCredentials: true });
  const response = await ask("POST", { origin: page, authorization: "x" });
  assert.equal(reported(response), { "access-control-allow-origin": "*" });
  assert.is(reported(await preflight(page, "POST"))["access-control-allow-credentials"], undefined);
  await gateway.close();
});

test("a pattern that every host matches allows no credentials", () => {
  const credentials = (origin: string, from: string) =>
    apiCors({ enabled: true, allowedOrigins: [page, origin], allowCredentials: true })?.answer(from)[
      "access-control-allow-credentials"
    ];
  const every = [
    "*",
    "https://*",
    "HTTP*",
    "*s://*",
    "https://*.*",
    "https://*:*",
    "https://*:8443/",
    "*:*",
    "h*",
  ];
  for (const origin of every) assert.is(credentials(origin, page), undefined, origin);
  const some = [
    "https://*.example.com",
    "http://localhost:*",
    "https://a*",
    "https://*b.c",
    "https://*.com",
    "",
  ];
  for (const origin of some) assert.is(credentials(origin, page), "true", origin);
});

test("a wildcard within an origin matches part of it", () => {
  const policy = apiCors({ enabled: true, allowedOrigins: ["https://*.example.com", "http://localhost:*/"] });
  for (const [origin, expected] of [
    ["https://shop.example.com", true],
    ["https://A.B.EXAMPLE.com", true],
    ["http://localhost:3000", true],
    ["https://example.com", false],
    ["https://.example.com", false],
    ["http://shop.example.com", false],
    ["https://shop.example.com.evil.org", false],
    ["", false],
  ] as const) {
    assert.is(policy?.allows(origin), expected, origin);
  }
  assert.is(apiCors({ enabled: false, allowedOrigins: ["*"] }), undefined);
});

test("an origin may have several wildcards", () => {
  const policy = apiCors({
    enabled: true,
    allowedOrigins: ["https://*.shop-*.example.com:*", "https://*.app.*.example.org"],
  });
  for (const [origin, expected] of [
    ["https://a.shop-1.example.com:8443", true],
    ["https://a.shop-.shop-1.example.com:8443", true],
    ["https://a.app.b.example.org", true],
    ["https://a.shop-1.example.com", false],
    ["https://a.shop-.example.com:8443", false],
    ["https://.shop-1.example.com:8443", false],
    // Each of these has only the first parts of a pattern.
    ["https://evil.app.", false],
    ["https://evil.shop-", false],
    ["https://a.app.example.org", false],
    ["https://a.app.b.example.org.evil.net", false],
  ] as const) {
    assert.is(policy?.allows(origin), expected, origin);
  }
});

test("optionsPassthrough lets the upstream answer preflight requests", async () => {
  const upstream = await httpServer(() => ({ status: 299 }));
  const { gateway, ask } = await serving({ allowedOrigins: [page], optionsPassthrough: true }, upstream.url);
  const response = await fetch(`${gateway.url}/orders/other`, {
    method: "OPTIONS",
    headers: { origin: page, "access-control-request-method": "POST", authorization: "x" },
  });
  assert.is(response.status, 299);
  assert.is(response.headers.get("access-control-allow-origin"), page);
  assert.is((await ask("OPTIONS", { origin: page, "access-control-request-method": "POST" })).status, 401);
  await Promise.all([gateway.close(), upstream.close()]);
});

test("the policy of the gateway replaces the CORS headers of the upstream", async () => {
  const upstream = await httpServer(() => ({
    status: 200,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "X-Secret",
      "access-control-max-age": "5",
      vary: "Accept",
      "x-kind": "a",
    },
  }));
  const askFrom = async (
    block: Omit<ApiCorsBlock, "enabled"> | undefined,
    origin: string,
    method = "GET",
  ) => {
    const { gateway } =
      block === undefined ? await servingPlain(upstream.url) : await serving(block, upstream.url);
    const preflight = method === "OPTIONS" && { "access-control-request-method": "POST" };
    const headers = { origin, authorization: "x", ...preflight };
    const response = await fetch(`${gateway.url}/orders/other`, { method, headers });
    assert.is(response.headers.get("x-kind"), "a");
    await gateway.close();
    return reported(response);
  };
  const own = { "access-control-allow-origin": page, vary: "Accept, Origin" };
  assert.equal(await askFrom({ allowedOrigins: [page] }, page), own);
  assert.equal(await askFrom({ allowedOrigins: [page] }, "https://evil.example.com"), { vary: own.vary });
  const passed = { allowedOrigins: [page], optionsPassthrough: true };
  assert.is((await askFrom(passed, page, "OPTIONS"))["access-control-allow-methods"], "POST");
  assert.equal(await askFrom(passed, "https://evil.example.com", "OPTIONS"), {
    vary: "Accept, Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  });
  assert.is(
    (await askFrom(undefined, page))["access-control-allow-origin"],
    "*",
    "without a policy it is told",
  );
  await upstream.close();
});

test("debug logs each decision", async () => {
  const { gateway, ask } = await serving({ allowedOrigins: [page], debug: true });
  await ask("POST", { origin: "https://evil.example.com", authorization: "x" });
  const line = gateway.lines.find(({ msg }) => msg === "CORS");
  assert.equal([line?.origin, line?.allowed, line?.verb], ["https://evil.example.com", false, "POST"]);
  await gateway.close();
});

test("the policy of an endpoint replaces its API's, for its own verbs", async () => {
  const cors = corsPolicy({
    enabled: true,
    allowed_origins: [page],
    allowed_headers: ["*"],
    allowed_methods: ["POST"],
  });
  const out = corsPolicy({ enabled: true, allowed_origins: ["*"] });
  const intake = () => ({ input: httpServerInput({ path: "/both", cors }), output: memoryOutput() });
  const feed = () => ({
    input: httpServerInput({ path: "/feed" }),
    output: httpServerOutput({ path: "/both", timeout: 10, cors: out }),
  });
  const gateway = await startGateway([ordersApi({ intake, feed })]);
  await until(() => gateway.streams.unready().length === 0);
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/orders/${path}`, { method, headers: { origin: page, ...headers } });
  assert.is(reported(await ask("POST", "both"))["access-control-allow-origin"], page);
  assert.equal(reported(await ask("GET", "both")), { "access-control-allow-origin": "*" });
  assert.equal(reported(await ask("POST", "feed")), {});
  const wanted = { "access-control-request-method": "POST", "access-control-request-headers": "x-any" };
  assert.is(reported(await ask("OPTIONS", "both", wanted))["access-control-allow-headers"], "x-any");
  assert.is((await ask("OPTIONS", "feed", wanted)).status, 405);
  await gateway.close();
});

test("sockets of an endpoint accept the origins it allows", async () => {
  const cors = corsPolicy({ enabled: true, allowed_origins: [page] });
  const intake = () => ({ input: httpServerInput({ ws_path: "/in", cors }), output: memoryOutput() });
  const feed = () => ({
    input: httpServerInput({ path: "/feed" }),
    output: httpServerOutput({ ws_path: "/out", cors }),
  });
  const gateway = await startGateway([ordersApi({ intake, feed })]);
  await until(() => gateway.streams.unready().length === 0);
  for (const path of ["in", "out"]) {
    const url = `${gateway.url.replace("http", "ws")}/orders/${path}`;
    await (await socket(url, { headers: { origin: page } })).close();
    const refused = await socket(url, { headers: { origin: "https://evil.example.com" } }).catch(
      (error) => error,
    );
    assert.instance(refused, UpgradeRefused);
    assert.is(refused.status, 403);
  }
  await gateway.close();
});

test.run();
