import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { socket, type UpgradeRefused } from "../harness/websocket-client.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const list = { type: "array", items: integer };
const object = { type: "object", properties: { a: integer, b: text }, additionalProperties: false };
const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more });

const item = {
  type: "object",
  required: ["id", "sku"],
  additionalProperties: false,
  properties: {
    id: { type: "string", readOnly: true },
    sku: { type: "string", pattern: "^[A-Z]{2}\\d+$" },
    price: { type: "number", minimum: 0, exclusiveMinimum: true },
    note: { type: "string", nullable: true },
    parts: { type: "array", items: { $ref: "#/components/schemas/Item" } },
    tags: { type: "array", uniqueItems: true },
    home: { type: "string", format: "url" },
  },
};

/** Returns a schema of trees whose nodes are described by alternatives, each recursive in the children. */
const trees = (definitions: string) => {
  const node = { $ref: `${definitions}Node` };
  return {
    Node: {
      anyOf: [{ $ref: `${definitions}Leaf` }, { $ref: `${definitions}Branch` }],
      unevaluatedProperties: false,
    },
    Leaf: { type: "object", required: ["v"], properties: { v: integer, k: { type: "array", items: node } } },
    Branch: { type: "object", properties: { v: text, k: { type: "array", items: node }, one: node } },
  };
};

const document = {
  openapi: "3.0.3",
  info: { title: "Shop", version: "1" },
  paths: {
    "/items/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer", minimum: 1 } }],
      get: {
        operationId: "getItem",
        parameters: [
          query("limit", { type: "integer", maximum: 10 }),
          query("on", { type: "boolean" }),
          query("tags", { type: "array", items: { type: "string", maxLength: 3 }, maxItems: 2 }),
          query("ids", list, { explode: false }),
          query("spaced", list, { style: "spaceDelimited", explode: false }),
          query("piped", list, { style: "pipeDelimited", explode: false }),
          query("filter", object, { style: "deepObject" }),
          query("pair", object, { explode: false }),
          query("json", undefined as never, { content: { "application/json": { schema: object } } }),
          { name: "X-Trace", in: "header", schema: { type: "string", pattern: "^(?:[a-f0-9]{2})+$" } },
          { name: "X-List", in: "header", schema: list },
          { name: "mode", in: "cookie", schema: { type: "string", enum: ["a", "b"] } },
        ],
        responses: { 200: { description: "ok" } },
      },
    },
    "/": {
      get: {
        parameters: [{ ...query("page", integer), required: true }],
        responses: { 200: { description: "ok" } },
      },
    },
    "/items/search": { get: { operationId: "search", responses: { 200: { description: "ok" } } } },
    "/styles/{label}/{matrix}/{object}": {
      get: {
        parameters: [
          { name: "label", in: "path", required: true, style: "label", explode: true, schema: list },
          { name: "matrix", in: "path", required: true, style: "matrix", schema: list },
          { name: "object", in: "path", required: true, explode: true, schema: object },
        ],
        responses: { 200: { description: "ok" } },
      },
    },
    "/items": {
      post: {
        operationId: "createItem",
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/Item" } },
            "application/x-www-form-urlencoded": {
              schema: { type: "object", required: ["count"], properties: { count: integer, tag: list } },
            },
            "text/*": { schema: { type: "string", maxLength: 3 } },
            "application/octet-stream": {},
          },
        },
        responses: { 200: { description: "ok" } },
      },
    },
    "/free": {
      post: {
        operationId: "free",
        requestBody: { content: { "application/json": { schema: integer } } },
        responses: { 200: { description: "ok" } },
      },
    },
    "/new": {
      post: {
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } } },
        responses: { 200: { description: "ok" } },
      },
    },
    "/mapped": {
      post: {
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } } },
        responses: { 200: { description: "ok" } },
      },
    },
    "/socket": {
      get: {
        parameters: [query("room", integer, { required: true })],
        responses: { 200: { description: "ok" } },
      },
    },
  },
  components: { schemas: { Item: item } },
  "x-gw-api-gateway": {
    info: { name: "Shop", state: { active: true } },
    server: { listenPath: { value: "/shop/" } },
    upstream: { url: "${UPSTREAM}" },
    middleware: {
      global: { validateRequest: { enabled: true } },
      operations: {
        free: { validateRequest: { enabled: false } },
        search: { validateRequest: { enabled: false } },
        createItem: { validateRequest: { enabled: true, errorResponseCode: 400 } },
      },
    },
  },
  "x-gw-streaming": {
    streams: {
      intake: {
        input: { http_server: { path: "/new", ws_path: "/socket", allowed_verbs: ["POST"] } },
        output: { http_client: { url: "${UPSTREAM}/stream", verb: "POST" } },
      },
      mapped: {
        input: { http_server: { path: "/mapped", allowed_verbs: ["POST"] } },
        pipeline: { processors: [{ mapping: "root.own = this\nroot.kind = this.sku.type()" }] },
        output: { http_client: { url: "${UPSTREAM}/stream", verb: "POST" } },
      },
    },
  },
};

const forest = {
  openapi: "3.1.0",
  info: { title: "Forest", version: "1" },
  paths: {
    "/trees": {
      post: {
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } } },
        responses: { 200: { description: "ok" } },
      },
    },
  },
  components: { schemas: trees("#/components/schemas/") },
  "x-gw-api-gateway": {
    info: { name: "Forest", state: { active: true } },
    server: { listenPath: { value: "/forest/" } },
    upstream: { url: "${UPSTREAM}" },
    middleware: { global: { validateRequest: { enabled: true } } },
  },
};

const upstream = await httpServer();
const compiled = await compileDocuments(["shop.json", "forest.json"], {
  packageRoot: projectRoot,
  fileSystem: createMemoryFileSystem({
    "shop.json": JSON.stringify(document),
    "forest.json": JSON.stringify(forest),
  }),
});
if (compiled.files === undefined) throw new Error(renderPretty(compiled.diagnostics, { color: false }));
const module = await loadGateway(compiled.files);
const gateway = await module.serveGateway(module.default, {
  environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", UPSTREAM: upstream.url },
  log: createLogger("silent"),
});
const shop = `${gateway.addresses.gateway}/shop`;

interface Refusal {
  readonly error: string;
  readonly faults?: readonly { readonly pointer: string; readonly reason: string }[];
}

async function send(path: string, options: RequestInit = {}): Promise<readonly [number, readonly string[]]> {
  const response = await fetch(`${shop}${path}`, options);
  if (response.status === 200) {
    await response.text();
    return [200, []];
  }
  const { faults = [] } = (await response.json()) as Refusal;
  return [response.status, faults.map(({ pointer, reason }) => `${pointer} ${reason}`)];
}

test("parameters of every location and style are parsed and validated", async () => {
  const fit = [
    "/items/7",
    "/items/7?limit=10&on=true&tags=a&tags=b&ids=1,2&spaced=1%202&piped=1%7C2&pair=a,1,b,x",
    "/items/7?filter[a]=1&filter%5Bb%5D=x&json=%7B%22a%22%3A1%7D&unknown=1",
    "/styles/.1.2/;matrix=1,2/a=1,b=x%2Cy",
    "/anything/else",
  ];
  for (const path of fit) assert.equal(await send(path), [200, []], path);
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["/items/0", ["/path/id must be >= 1"]],
    ["/items/x?limit=11", ["/path/id must be integer", "/query/limit must be <= 10"]],
    ["/items/7?limit=1&limit=2", ["/query/limit is given more than once"]],
    ["/items/7?limit=", ["/query/limit must be integer"]],
    [
      "/items/0x7?limit=+1&ids=1e0,0b1",
      [
        "/path/id must be written as a number",
        "/query/limit must be written as a number",
        "/query/ids/1 must be written as a number",
      ],
    ],
    ["/items/7?on=maybe", ["/query/on must be boolean"]],
    ["/items/7?tags=abcd", ["/query/tags/0 must NOT have more than 3 characters"]],
    ["/items/7?ids=1,x", ["/query/ids/1 must be integer"]],
    ["/items/7?spaced=1+x", ["/query/spaced/1 must be integer"]],
    ["/items/7?piped=x|1", ["/query/piped/0 must be integer"]],
    [
      "/items/7?filter[a]=x&filter[c]=1",
      ["/query/filter/c must NOT have additional properties", "/query/filter/a must be integer"],
    ],
    ["/items/7?pair=a,1,b", ["/query/pair has a name without a value in `pair`"]],
    ["/items/7?json=%7B", ["/query/json is not JSON"]],
    ["/items/7?json=%7B%22a%22:1,%22%5Cu0061%22:2%7D", ["/query/json has a member twice"]],
    ["/items/7?filter[a]=1&filter[%61]=2", ["/query/filter has `a` more than once"]],
    ["/items/7?pair=a,1,b,x,a,2", ["/query/pair has `a` more than once"]],
    ["/items/7?json=%7B%22a%22%3A%22x%22%7D", ["/query/json/a must be integer"]],
    ["/styles/1.2/;matrix=1/a=1", ["/path/label does not begin with `.`"]],
    ["/styles/.1/;other=1/a=x", ["/path/matrix does not name `matrix`", "/path/object/a must be integer"]],
  ];
  for (const [path, faults] of rows) assert.equal(await send(path), [422, faults], path);
  const withHeaders = (headers: Record<string, string>) => send("/items/7", { headers });
  const spelled = await Promise.all(["X_Trace", "x.trace"].map((name) => withHeaders({ [name]: "zz" })));
  assert.match(String(spelled), /^(?:422,.header.X-Trace is given in another spelling,?){2}$/);
  assert.equal(await withHeaders({ "x-trace": "abcd", "x-list": "1, 2", cookie: "mode=b" }), [200, []]);
  assert.equal(await withHeaders({ "x-trace": `${"ab".repeat(5000)}x`, cookie: "mode=c" }), [
    422,
    [
      '/header/X-Trace must match pattern "^(?:[a-f0-9]{2})+$"',
      "/cookie/mode must be equal to one of the allowed values",
    ],
  ]);
});

test("bodies are validated against the schema of their media type, and proxied unchanged", async () => {
  const post = (body: string | Buffer, type = "application/json", headers: Record<string, string> = {}) =>
    send("/items", { method: "POST", body: body as string, headers: { "content-type": type, ...headers } });
  const good =
    '{"sku":"AB1","price":1.10,"note":null,"parts":[{"sku":"CD2"}],"home":"http://a:b@example.com:80/x?y"}';
  const before = upstream.requests.length;
  assert.equal(await post(good), [200, []]);
  assert.equal(await post(good, "Application/JSON; charset=utf-8"), [200, []]);
  assert.equal(await post("count=1&tag=1&tag=2", "application/x-www-form-urlencoded"), [200, []]);
  assert.equal(await post("abc", "text/plain"), [200, []]);
  assert.equal(await post("\u0000", "application/octet-stream"), [200, []]);
  const { gzipSync } = await import("node:zlib");
  assert.equal(await post(gzipSync(good), "application/json", { "content-encoding": "gzip" }), [200, []]);
  const reached = upstream.requests.slice(before);
  assert.equal(
    reached.map(({ body }) => body),
    [good, good, "count=1&tag=1&tag=2", "abc", "\u0000", good],
  );
  assert.is(reached.at(-1)?.headers["content-encoding"], undefined);
  const rows: readonly (readonly [string, string, number, readonly string[]])[] = [
    [
      '{"price":0,"parts":[{"sku":"x"}],"more":1}',
      "application/json",
      400,
      [
        "/body/sku is required",
        "/body/more must NOT have additional properties",
        "/body/price must be > 0",
        '/body/parts/0/sku must match pattern "^[A-Z]{2}\\d+$"',
      ],
    ],
    ["{", "application/json", 400, ["/body is not JSON"]],
    ["", "application/json", 400, ["/body is required"]],
    ['{"sku":"AB1","sku":"x"}', "application/json", 400, ["/body has a member twice"]],
    ['{"sku":"AB1"}', "application/json; charset=utf-16", 415, []],
    ["count=1", 'application/x-www-form-urlencoded;CHARSET="ibm037"', 415, []],
    [
      '{"sku":"AB1","home":"http://127.0.0.1/"}',
      "application/json",
      400,
      ['/body/home must match format "url"'],
    ],
    ["count=0x1", "application/x-www-form-urlencoded", 400, ["/body/count must be written as a number"]],
    ["count=x", "application/x-www-form-urlencoded", 400, ["/body/count must be integer"]],
    ["abcd", "text/plain", 400, ["/body must NOT have more than 3 characters"]],
    ["a", "application/xml", 415, []],
    [
      '{"__proto__":{"sku":"AB1"}}',
      "application/json",
      400,
      ["/body/sku is required", "/body/__proto__ must NOT have additional properties"],
    ],
    [`${'{"sku":"AB1","parts":['.repeat(200_000)}`, "application/json", 400, ["/body is not JSON"]],
  ];
  assert.equal(await post('{"sku":"AB1","note":"a:\\":b\\\\"}', 'application/json; charset="UTF-8"'), [
    200,
    [],
  ]);
  const passed = upstream.requests.length;
  for (const [body, type, status, faults] of rows) {
    assert.equal(await post(body, type), [status, faults], body.slice(0, 60));
  }
  assert.equal(await post(Buffer.from('{"sku":"AB1","note":"\xff"}', "latin1")), [
    400,
    ["/body is not UTF-8"],
  ]);
  const deep = `${'{"sku":"AB1","parts":['.repeat(20_000)}${"]}".repeat(20_000)}`;
  assert.is((await post(deep))[0], 400, "nested too deep for anybody");
  const many = `{"sku":"AB1","parts":[${Array(50_000).fill("1").join(",")}]}`;
  assert.equal(
    await post(many),
    [400, ["/body/parts/0 must be object"]],
    "a large body is told its first fault",
  );
  const tagged = (tags: readonly unknown[]) => post(JSON.stringify({ sku: "AB1", tags }));
  assert.equal(await tagged([1, "1", { a: 1 }, { a: 2 }, [1], null]), [200, []]);
  assert.equal(await tagged([{ a: 1, b: [2] }, 3, { b: [2], a: 1 }]), [
    400,
    ["/body/tags must NOT have duplicate items"],
  ]);
  // Comparing each item with each other one would take minutes.
  assert.equal(await tagged(Array.from({ length: 100_000 }, (_, id) => ({ id }))), [200, []]);
  const some = `{"sku":"AB1","parts":[${Array(1000).fill("1").join(",")}]}`;
  assert.is((await post(some))[1].length, 20);
  assert.is(upstream.requests.length, passed + 2, "nothing of the rest reached the upstream");
});

test("recursive alternatives validate each part of a body once, with the same result as ajv", async () => {
  const plant = (tree: unknown) =>
    send("/../forest/trees", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(tree),
    });
  const check = new Ajv2020({ strict: false }).compile({ $ref: "#/$defs/Node", $defs: trees("#/$defs/") });
  const field = (name: string, value: fc.Arbitrary<unknown>, of = 2) =>
    fc.oneof(
      { arbitrary: fc.constant({}), weight: of },
      value.map((given) => ({ [name]: given })),
    );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.constantFrom<unknown>(
        {},
        { v: 1 },
        { v: "a" },
        { v: 1, k: [] },
        { v: "a", one: {} },
        { v: 1, one: {} },
        { v: null },
      ),
      fc
        .tuple(
          field("v", fc.constantFrom<unknown>(1, "a")),
          field("k", fc.array(tie("tree"), { maxLength: 2 })),
          field("one", tie("tree")),
          field("more", fc.constant(1), 20),
        )
        .map((fields) => Object.assign({}, ...fields) as unknown),
    ),
  }));
  const verdicts = { fits: 0, misses: 0 };
  for (const value of fc.sample(tree, { seed: 11, numRuns: 150 })) {
    const [status] = await plant(value);
    assert.is(status === 200, check(value), JSON.stringify(value));
    verdicts[status === 200 ? "fits" : "misses"] += 1;
  }
  assert.ok(verdicts.fits > 20 && verdicts.misses > 20, JSON.stringify(verdicts));
  // Doubling the work at each level would never end.
  let deep: object = { v: null };
  for (let level = 0; level < 100; level += 1) deep = { k: [deep] };
  const [status, faults] = await plant(deep);
  assert.is(status, 422);
  assert.is(faults.length, 20);
  assert.is((await plant(JSON.parse(JSON.stringify(deep).replace("null", "1"))))[0], 200);
});

test("validation disabled for an operation is not applied", async () => {
  const headers = { "content-type": "application/json" };
  assert.equal(await send("/free", { method: "POST", body: '"x"', headers }), [200, []]);
  assert.equal(await send("/items/search"), [200, []], "nor taken for an item");
});

test("a path matches an operation as a whole, also with a trailing slash", async () => {
  assert.equal(await send("/"), [422, ["/query/page is required"]]);
  assert.equal(await send("/?page=1"), [200, []]);
  assert.equal(await send("/elsewhere"), [200, []]);
});

test("requests to streams are validated before they become messages", async () => {
  const headers = { "content-type": "application/json" };
  const before = upstream.requests.length;
  assert.equal(await send("/new", { method: "POST", body: '{"sku":"x"}', headers }), [
    422,
    ['/body/sku must match pattern "^[A-Z]{2}\\d+$"'],
  ]);
  assert.is(upstream.requests.length, before);
  assert.equal(await send("/new", { method: "POST", body: '{"sku":"AB1","price":1.10}', headers }), [
    200,
    [],
  ]);
  const [message] = upstream.requests.slice(before);
  assert.equal([message?.path, message?.body], ["/stream", '{"sku":"AB1","price":1.10}']);
  const refused = await socket(`${shop}/socket?room=x`).catch((error: unknown) => error);
  assert.is((refused as UpgradeRefused).status, 422, "handshakes too");
  const opened = await socket(`${shop}/socket?room=1`);
  await opened.close();
});

test("a mapping reads a validated body like any other", async () => {
  const before = upstream.requests.length;
  const rows = [
    ['{"sku":"AB1","price":0.95}', '{"kind":"string","own":{"price":0.95,"sku":"AB1"}}'],
    ['{"sku":"AB1","price":19.90}', '{"kind":"string","own":{"price":19.90,"sku":"AB1"}}'],
    ['{"sku":"AB1","note":"\\ud83d"}', '{"kind":"string","own":{"note":"\ufffd","sku":"AB1"}}'],
    [
      '{"price":12345678901234567890,"sku":"AB1"}',
      '{"kind":"string","own":{"price":12345678901234567890,"sku":"AB1"}}',
    ],
  ] as const;
  const options = { method: "POST", headers: { "content-type": "application/json" } };
  for (const end of ["", " ".repeat(100_000)])
    for (const [body] of rows)
      assert.equal(await send("/mapped", { ...options, body: body + end }), [200, []]);
  const mapped = rows.map(([, expected]) => expected);
  assert.equal(
    upstream.requests.slice(before).map(({ body }) => body),
    [...mapped, ...mapped],
  );
});

test("spellings of a path that the upstream may treat as an operation are validated as that operation", async () => {
  const before = upstream.requests.length;
  const body = '{"sku":"none"}';
  const options = { method: "POST", headers: { "content-type": "application/json" }, body };
  const spellings = [
    ...[
      "/items/",
      "//items",
      "/ITEMS",
      "/items;a=1",
      "/items%2f",
      "/items.json",
      "/items.tar.gz",
      "/items%20",
    ],
    ...["/item%2573", "/items/.json", "/%2Fitems", "/;a/items", "/Items.", "/%EF%BD%89tems"],
  ];
  for (const path of spellings) assert.is((await send(path, options))[0], 400, path);
  for (const path of ["/items/x/", "/ITEMS/x", "/items//x", "/items/x;a=1"]) {
    assert.is((await send(path))[0], 422, path);
    assert.is((await fetch(`${shop}${path}`, { method: "HEAD" })).status, 422, path);
  }
  assert.is(upstream.requests.length, before);
  const good = { ...options, body: '{"sku":"AB1"}' };
  assert.equal(await send("/items/", good), [200, []]);
  assert.is(upstream.requests.at(-1)?.path, "/items/");
});

test("a gateway contains no schema compiler, and no code generated at runtime", () => {
  const names = [...(compiled.modules?.keys() ?? [])];
  assert.ok(names.some((name) => name === "runtime/protections/validation/request-validation.ts"));
  assert.not(
    names.some((name) => /node_modules\/ajv\/dist\/(core|compile|2020|ajv|vocabularies)/.test(name)),
  );
  assert.not.match(compiled.files?.get("validators.ts") ?? "", /new Function|\beval\(/);
});

test.after(async () => {
  await gateway.close();
  await upstream.close();
});
test.run();
