// Parameters that hide from validation, or pose as others than they are for the server behind the gateway.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { rawClient } from "../runtime/listener/raw-client.ts";

const integer = { type: "integer" };
const object = { type: "object", properties: { a: integer }, additionalProperties: false };
const nested = {
  type: "object",
  properties: {
    range: { type: "object", properties: { from: integer }, required: ["from"], additionalProperties: false },
  },
  additionalProperties: integer,
};
const open = { type: "object", properties: { a: integer, o: { type: "object" } } };
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const query = (name: string, more: object) => ({ name, in: "query", ...more });

const document = {
  openapi: "3.1.0",
  info: { title: "Items", version: "1" },
  paths: {
    "/items": {
      get: {
        parameters: [
          query("limit", { schema: integer }),
          query("plain", { schema: { type: "string", pattern: "^[^<>]*$" } }),
          query("tags", { schema: { type: "array", items: { type: "string", maxLength: 3 } } }),
          query("page[size]", { schema: integer }),
          query("filter", { style: "deepObject", schema: object }),
          query("open", { style: "deepObject", schema: open }),
          query("nested", { style: "deepObject", schema: nested }),
          query("json", json(object)),
          query("any", json({})),
          query("__proto__", { schema: integer }),
          query("none", { schema: false }),
          { name: "X-List", in: "header", schema: { type: "array", items: integer } },
          { name: "mode", in: "cookie", schema: { type: "string", enum: ["a", "b"] } },
        ],
        responses: { 200: { description: "ok" } },
      },
      post: {
        requestBody: { content: { "application/x-www-form-urlencoded": { schema: open } } },
        responses: { 200: { description: "ok" } },
      },
    },
  },
  "x-gw-api-gateway": {
    info: { name: "Items", state: { active: true } },
    server: { listenPath: { value: "/" } },
    upstream: { url: "${UPSTREAM}" },
    middleware: { global: { validateRequest: { enabled: true } } },
  },
};

const upstream = await httpServer();
const compiled = await compileDocuments(["items.json"], {
  packageRoot: projectRoot,
  fileSystem: createMemoryFileSystem({ "items.json": JSON.stringify(document) }),
});
if (compiled.files === undefined) throw new Error(renderPretty(compiled.diagnostics, { color: false }));
const module = await loadGateway(compiled.files);
const gateway = await module.serveGateway(module.default, {
  environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", UPSTREAM: upstream.url },
  log: createLogger("silent"),
});

/** Returns the faults that the gateway finds in a request; none if it reaches the upstream. */
async function faultsOf(parameters: string, init: RequestInit = {}): Promise<readonly string[]> {
  const response = await fetch(`${gateway.addresses.gateway}/items?${parameters}`, init);
  const text = await response.text();
  if (response.status === 200) return [];
  const { faults = [] } = JSON.parse(text) as { faults?: readonly { pointer: string; reason: string }[] };
  return faults.map(({ pointer, reason }) => `${pointer} ${reason}`);
}

for (const [name, parameters, fault] of [
  ["a broken escape", "plain=%3Cb%3E%zz", '/query/plain must match pattern "^[^<>]*$"'],
  ["a byte that is no UTF-8", "plain=%3Cb%3E%ff", '/query/plain must match pattern "^[^<>]*$"'],
  ["a name encoded twice", "filter[%2561]=1", "/query/filter/%61 must NOT have additional properties"],
  // Readers take a zero at the start for the sign of an octal number.
  ["a zero before a number", "limit=010", "/query/limit must be written as a number"],
  // Many servers read these as `limit`, `tags` and `filter`.
  ["brackets", "limit[]=x", "/query/limit is given in another spelling"],
  ["encoded brackets", "limit=1&limit%5Ba%5D=x", "/query/limit is given in another spelling"],
  ["brackets of a list", "tags[]=abcd", "/query/tags is given in another spelling"],
  ["an object without brackets", "filter[a]=1&filter=x", "/query/filter is given in another spelling"],
  ["a text after the brackets of a field", "open[a]b=x", "/query/open is given in another spelling"],
  ["brackets that do not close", "open[a=x", "/query/open is given in another spelling"],
  ["brackets within those of a field", "open[[a]=x", "/query/open is given in another spelling"],
  ["an object in place of a field", "open[a][$ne]=1", "/query/open is given in another spelling"],
  ["a list in place of an object", "open[]=x", "/query/open is given in another spelling"],
  ["an object within another", "nested[range][from]=x", "/query/nested/range/from must be integer"],
  [
    "another field within it",
    "nested[range][from]=1&nested[range][to]=1",
    "/query/nested/range/to must NOT have additional properties",
  ],
  [
    "the prototype within it",
    "nested[range][from]=1&nested[range][__proto__]=1",
    "/query/nested/range/__proto__ must NOT have additional properties",
  ],
  [
    "an object in it that has a text, too",
    "nested[x]=1&nested[x][$ne]=1",
    "/query/nested has `x][$ne` more than once",
  ],
  [
    "a text in it that has an object, too",
    "nested[x][$ne]=1&nested[x]=1",
    "/query/nested has `x` more than once",
  ],
  ["an object in place of any field", "nested[x][$ne]=1", "/query/nested/x must be integer"],
  ["a list in place of any field", "nested[x][]=1", "/query/nested/x must be integer"],
  ["odd brackets around an object", "nested[range]x][from]=1", "/query/nested is given in another spelling"],
  ["objects that nest deep", `nested${"[x]".repeat(2500)}=1`, "/query/nested is nested too deep"],
  // A name that objects have already, and a schema that is no object.
  ["the name of the prototype", "__proto__=x", "/query/__proto__ must be integer"],
  ["a value where none fits", "none=x", "/query/none must NOT be valid"],
  // JSON has types of its own, which the upstream reads.
  ["a text for a number in JSON", "json=%7B%22a%22%3A%221%22%7D", "/query/json/a must be number"],
  ["JSON that nests deep", `any=${"[".repeat(7000)}${"]".repeat(7000)}`, "/query/any is nested too deep"],
] as const) {
  test(`parameter: ${name} is no way around its schema`, async () => {
    assert.equal(await faultsOf(parameters), [fault]);
  });
}

test("parameter: a header that Connection names is none for the upstream", async () => {
  const client = await rawClient(Number(new URL(gateway.addresses.gateway).port));
  client.write("GET /items HTTP/1.1\r\nHost: a\r\nX-List: 1\r\nConnection: x-LIST , close\r\n\r\n");
  await client.ended();
  assert.match(client.received, /^HTTP\/1\.1 422 /);
  assert.match(client.received, /"pointer":"\/header\/X-List","reason":"is named in `Connection`"/);
});

test("parameter: neither are cookies, if Connection names `Cookie`", async () => {
  const client = await rawClient(Number(new URL(gateway.addresses.gateway).port));
  client.write("GET /items HTTP/1.1\r\nHost: a\r\nCookie: mode=a\r\nConnection: Cookie, close\r\n\r\n");
  await client.ended();
  assert.match(client.received, /^HTTP\/1\.1 422 /);
  assert.match(client.received, /"pointer":"\/cookie\/mode","reason":"is named in `Connection`"/);
});

test("form: brackets after the name of a field are no way around its schema", async () => {
  const post = (body: string) => faultsOf("", { method: "POST", body: new URLSearchParams(body) });
  assert.equal(await post("a=1&a[$ne]=x"), ["/body/a[$ne] is given in another spelling"]);
  assert.equal(await post("a[]=x"), ["/body/a[] is given in another spelling"]);
});

test("form: a refusal does not repeat a long name of the request", async () => {
  const [fault = ""] = await faultsOf("", {
    method: "POST",
    body: new URLSearchParams({ [`a[${"x".repeat(10_000)}]`]: "1" }),
  });
  assert.is(fault, `${"/body/a[".padEnd(300, "x")} is given in another spelling`);
});

test("parameter: nor does that of a parameter", async () => {
  const [fault = ""] = await faultsOf(`open[${"x".repeat(2_000)}]=1&open[${"x".repeat(2_000)}]=1`);
  assert.is(fault, `/query/open has \`${"x".repeat(300)}\` more than once`);
});

test("parameter: only spaces and tabs around a value are no part of it", async () => {
  assert.equal(await faultsOf("", { headers: { "x-list": "1, 2\u00a0" } }), [
    "/header/X-List/1 must be written as a number",
  ]);
  assert.equal(await faultsOf("", { headers: { cookie: "mode=b\u00a0" } }), [
    "/cookie/mode must be equal to one of the allowed values",
  ]);
});

test("parameter: what fits reaches the upstream, and nothing else did", async () => {
  const fit =
    "__proto__=1&limit=10&plain=100%&tags=a&page[size]=1&other[]=1&filter[a]=1&nested[range][from]=1&nested[x]=1&open[a]=1&open[o][a]=1&open[x][]=1&json=%7B%22a%22%3A1%7D&any=[1]";
  assert.equal(await faultsOf(fit, { headers: { "x-list": "1,\t2", cookie: "mode=b" } }), []);
  assert.equal(
    upstream.requests.map(({ path }) => path),
    [`/items?${fit}`],
  );
  await gateway.close();
  await upstream.close();
});

test.run();
