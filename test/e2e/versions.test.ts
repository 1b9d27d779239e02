import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { RouteRow } from "../../runtime/gateway/admin/route-row.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { buildAndStart } from "./gateway.ts";

/** Returns a document whose stream responds with `content`; other requests go to the upstream. */
function document(content: string, info: string, server: string): string {
  return `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: ${info}
  server: ${server}
  upstream: { url: "\${BACKEND}" }
x-gw-streaming:
  streams:
    answers:
      input: { http_server: { path: /new } }
      pipeline:
        processors:
          - mapping: root = "${content} " + @.version.or("-") + " " + @."X-Version".or("-")
      output: { sync_response: {} }
`;
}

/** Builds and starts a set of these documents; resolves with the gateway and the requests of its upstream. */
async function started(
  documents: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const folder = temporaryDirectory("versions");
  const set = {
    "gateway.yaml": `apis: [${Object.keys(documents).join(", ")}]\nstreaming: { enabled: true }\n`,
  };
  for (const [name, text] of Object.entries({ ...documents, ...set }))
    writeFileSync(join(folder, name), text);
  const backend = await httpServer(() => ({ body: "backend", headers: { location: "/elsewhere" } }));
  const starting = buildAndStart([join(folder, "gateway.yaml")], { BACKEND: backend.url, ...env });
  const gateway = await starting.catch(async (error: unknown) => {
    await backend.close();
    throw error;
  });
  const post = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(gateway.url + path, { method: "POST", body: "a", headers });
    return `${response.status} ${await response.text()}`;
  };
  const close = async () => {
    assert.is(await gateway.program.stop(), 0);
    await backend.close();
  };
  return { gateway, backend, post, close };
}

const internal = "{ id: second, state: { active: true, internal: true } }";
const orders = "{ listenPath: { value: /orders/ } }";
const unknown = '404 {"error":"This API version does not seem to exist"}';

test("versions by path: each version is a separate API, and internal ones have no other address", async () => {
  const versions = "versions: [{ name: v2, id: second }, { name: v3, id: ended }, { name: v4, id: gone }]";
  const versioning = `{ enabled: true, name: v1, location: url, stripVersioningData: true, ${versions} }`;
  const { gateway, backend, post, close } = await started({
    "orders.yaml": document("first", `{ id: orders, versioning: ${versioning} }`, orders),
    "second.yaml": document("second", internal, "{ listenPath: { value: /second/ } }"),
    "ended.yaml": document(
      "third",
      "{ id: ended, expiration: '2001-01-01', state: { active: true, internal: true } }",
      "{ listenPath: { value: /ended/ } }",
    ),
    "gone.yaml": document(
      "fourth",
      "{ id: gone, state: { active: false } }",
      "{ listenPath: { value: /gone/ } }",
    ),
  });
  assert.is(await post("/orders/v1/new"), "200 first - -");
  assert.is(await post("/orders/v2/new"), "200 second - -");
  assert.is(await post("/orders/v3/new"), '403 {"error":"API has expired"}');
  for (const path of ["/orders/v4/new", "/orders/new", "/orders/V2/new", "/orders/v2./new"])
    assert.is(await post(path), unknown, path);
  for (const path of ["/second/new", "/ended/new", "/gone/new"])
    assert.is(await post(path), '404 {"error":"not found"}', path);
  assert.is(await post("/orders/v2/items?a=1"), "200 backend");
  assert.is(await post("/orders"), "200 backend");
  assert.equal(
    backend.requests.map(({ path }) => path),
    ["/items?a=1", "/"],
  );
  const { routes } = (await (await fetch(`${gateway.adminUrl}/routes`)).json()) as {
    routes: readonly RouteRow[];
  };
  assert.equal(
    routes.map(({ api, path, version }) => `${api} ${path} ${version}`),
    [
      "orders /orders/v1/new v1",
      "orders /orders/v1/* v1",
      "second /orders/v2/new v2",
      "second /orders/v2/* v2",
      "ended /orders/v3/new v3",
      "ended /orders/v3/* v3",
    ],
  );
  await close();
});

test("the version parameter is proxied, or stripped if configured", async () => {
  const block = (rest: string) =>
    `{ id: orders, versioning: { enabled: true, name: v1, ${rest}, versions: [{ name: v2, id: second }] } }`;
  const second = document("second", internal, orders);
  const rows: readonly [string, string, Record<string, string>, string, string][] = [
    ["location: url", "/orders/v2/%6eew", {}, "200 second - -", "/v2/items"],
    ["location: url, stripVersioningData: true", "/orders/v2/new", {}, "200 second - -", "/items"],
    ["location: header, key: x-version", "/orders/new", { "X-Version": "v2" }, "200 second - v2", "/items"],
    [
      "location: header, key: x-version, stripVersioningData: true",
      "/orders/new",
      { "X-Version": "v2" },
      "200 second - -",
      "/items",
    ],
    [
      "location: url-param, key: version",
      "/orders/new?version=v2",
      {},
      "200 second v2 -",
      "/items?version=v2",
    ],
    [
      "location: url-param, key: version, stripVersioningData: true",
      "/orders/new?a=%61&version=v2",
      {},
      "200 second - -",
      "/items?a=%61",
    ],
  ];
  for (const [location, path, headers, answer, forwarded] of rows) {
    const { backend, post, close } = await started({
      "orders.yaml": document("first", block(location), orders),
      "second.yaml": second,
    });
    assert.is(await post(path, headers), answer, location);
    assert.is(await post(path.replace(/%6eew|new/, "items"), headers), "200 backend");
    assert.equal(
      backend.requests.map((request) => [request.path, request.headers["x-version"]]),
      [[forwarded, answer.endsWith("v2") ? "v2" : undefined]],
      location,
    );
    await close();
  }
});

test("an API with a custom domain responds only there, regardless of case, port and trailing dot", async () => {
  const server = (name: string) =>
    `{ listenPath: { value: /orders/ }, customDomain: { enabled: true, name: ${name} } }`;
  const { gateway, close } = await started(
    {
      "german.yaml": document("german", "{ id: german }", server("Shop.example.de")),
      "french.yaml": document("french", "{ id: french }", server('"${FRENCH}"')),
    },
    { FRENCH: "shop.example.fr." },
  );
  const ask = (host: string) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(gateway.url);
      const asked = get({ host: hostname, port, path: "/orders/new", headers: { host } }, (response) => {
        response.setEncoding("utf8").once("data", (text) => resolve(`${response.statusCode} ${text}`));
      });
      asked.once("error", reject);
    });
  // The route does not accept GET: status 405 shows that the API was found.
  const found = '405 {"error":"Method not allowed"}';
  for (const host of ["shop.example.de", "SHOP.EXAMPLE.DE:8443", "shop.example.de.", "shop.example.fr"])
    assert.is(await ask(host), found, host);
  for (const host of [
    "shop.example.com",
    "example.de",
    "x.shop.example.de",
    "shop.example.de.evil.test",
    "127.0.0.1",
  ])
    assert.is(await ask(host), '404 {"error":"not found"}', host);
  await close();
});

test("a gateway does not start if variables give two APIs the same host", async () => {
  const server = (name: string) =>
    `{ listenPath: { value: /orders/ }, customDomain: { enabled: true, name: "\${${name}}" } }`;
  const documents = {
    "one.yaml": document("one", "{ id: one }", server("ONE")),
    "two.yaml": document("two", "{ id: two }", server("TWO")),
  };
  const { close } = await started(documents, { ONE: "one.test", TWO: "two.test" });
  await close();
  const failure = await started(documents, { ONE: "one.test", TWO: "ONE.test" }).then(
    () => "started",
    (error: unknown) => String(error),
  );
  assert.match(failure, /two APIs listen at \/orders\/ of one\.test/);
});

test.run();
