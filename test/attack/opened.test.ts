import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { hashKey } from "../../runtime/keys/key-hash.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { answersTo, request } from "./attacked.ts";

const operation = (more: object = {}) => ({ responses: { 200: { description: "ok" } }, ...more });
const open = operation({ security: [] });

/** The open operations match as widely as `{page}`; protected operations have paths next to them. */
const document = {
  openapi: "3.1.0",
  info: { title: "Pages", version: "1" },
  paths: {
    "/{page}": { get: open, post: open },
    "/{page}/{part}": { get: open },
    "/admin": { get: operation(), delete: operation({ security: [{ user: [] }] }) },
    "/admin/{id}": { get: operation() },
  },
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Api-Key" },
      user: { type: "http", scheme: "basic" },
    },
  },
  security: [{ key: [] }],
  "x-gw-api-gateway": {
    info: { id: "pages", name: "Pages", state: { active: true } },
    server: {
      listenPath: { value: "/pages/" },
      authentication: {
        enabled: true,
        securitySchemes: { key: { enabled: true }, user: { enabled: true } },
      },
    },
    upstream: { url: "${UPSTREAM}" },
  },
  "x-gw-streaming": {
    streams: {
      intake: {
        input: { http_server: { path: "/orders", allowed_verbs: ["POST"] } },
        output: { http_client: { url: "${UPSTREAM}/stream" } },
      },
    },
  },
};

const upstream = await httpServer();
const compiled = await compileDocuments(["gateway.yaml"], {
  packageRoot: projectRoot,
  fileSystem: createMemoryFileSystem({
    "pages.json": JSON.stringify(document),
    "gateway.yaml": `streaming: { enabled: true }\napis: [pages.json]\nkeys: [{ key_hash: ${hashKey("good")} }]\n`,
  }),
});
if (compiled.files === undefined) throw new Error(renderPretty(compiled.diagnostics, { color: false }));
const module = await loadGateway(compiled.files);
const gateway = await module.serveGateway(module.default, {
  environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", UPSTREAM: upstream.url },
  log: createLogger("silent"),
});
const port = Number(new URL(gateway.addresses.gateway ?? "").port);

const attempts: readonly (readonly [string, string])[] = [
  ["GET", "/pages/admin"],
  ["GET", "/pages/Admin"],
  ["GET", "/pages/%61dmin"],
  ["GET", "/pages/admin;a=b"],
  ["GET", "/pages/admin%3Ba=b"],
  ["GET", "/pages/x/..;/admin"],
  ["GET", "/pages/..;a/admin"],
  ["GET", "/pages/x/%2e%2e;/admin"],
  ["GET", "/pages/admin/7"],
  ["GET", "/pages/ADMIN/7"],
  ["GET", "/pages/admin;a/7"],
  ["DELETE", "/pages/admin"],
  ["POST", "/pages/admin"],
  // Accepted by a stream whose path the document does not describe.
  ["POST", "/pages/orders"],
  ["POST", "/pages/%6frders"],
];

for (const [method, target] of attempts) {
  test(`next to an open operation: ${method} ${target} is rejected`, async () => {
    const before = upstream.requests.length;
    const [status = 0] = await answersTo(port, request(target, { method, body: "" }));
    assert.ok(status === 401 || status === 400, `answered with ${status}`);
    assert.is(upstream.requests.length, before);
  });
}

test("open operations need no key, and the others accept a key", async () => {
  const ask = (method: string, target: string, ...headers: readonly string[]) =>
    answersTo(port, request(target, { method, headers, body: "" }));
  assert.equal(await ask("GET", "/pages/home"), [200]);
  assert.equal(await ask("GET", "/pages/home/menu"), [200]);
  assert.equal(await ask("GET", "/pages/admin", "X-Api-Key: good"), [200]);
  assert.equal(await ask("GET", "/pages/admin/7", "X-Api-Key: good"), [200]);
  assert.equal(await ask("POST", "/pages/orders", "X-Api-Key: good"), [200]);
});

test.after(async () => {
  await gateway.close();
  await upstream.close();
});
test.run();
