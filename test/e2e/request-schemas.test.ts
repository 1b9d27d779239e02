// Schemas of requests as people write them, with keywords that only some validators or older drafts support.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";

const odd = {
  openapi: "3.1.0",
  info: { title: "Odd", version: "1" },
  paths: {
    "/": {
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: {
                $ref: "#/components/schemas/Any",
                $async: true,
                id: "odd",
                $data: true,
                formatMaximum: { $data: "/a" },
                properties: {
                  a: { $async: true, nullable: true, type: "string" },
                  b: { nullable: true },
                  c: { type: "number", minimum: 5, exclusiveMinimum: true },
                  d: { items: [{ type: "string" }], additionalItems: false },
                  e: { type: "null" },
                  f: { $ref: "#/components/schemas/Closed" },
                  g: { enum: [] },
                  __PROTO__: { type: "number" },
                  home: { type: "string", format: "url" },
                  tree: { $ref: "#/components/schemas/Tree" },
                  hasOwnProperty: { type: "string" },
                  made: {
                    allOf: [{ $ref: "#/components/schemas/Named" }, { required: ["id", "kind", "key"] }],
                    properties: { key: { $ref: "#/components/schemas/Key" } },
                  },
                },
              },
            },
          },
        },
        responses: { 200: { description: "ok" } },
      },
    },
  },
  components: {
    schemas: {
      Closed: {
        $ref: "#/components/schemas/Named",
        required: ["id", "kind"],
        unevaluatedProperties: false,
        properties: { size: { type: "integer" } },
      },
      Any: { $ref: "#/components/schemas/Small", description: "Beside a reference." },
      Small: { maxProperties: 3 },
      Key: { type: "string", readOnly: true },
      Tree: {
        type: "object",
        properties: {
          leaves: { type: "array", uniqueItems: true },
          more: { type: "array", uniqueItems: true, items: { $ref: "#/components/schemas/Tree" } },
        },
      },
      Named: {
        type: "object",
        required: ["name"],
        properties: { id: { readOnly: true }, name: {}, kind: {} },
      },
    },
  },
  "x-gw-api-gateway": {
    info: { name: "Odd", state: { active: true } },
    server: { listenPath: { value: "/odd/" } },
    upstream: { url: "${UPSTREAM}" },
    middleware: { global: { validateRequest: { enabled: true } } },
  },
};

const text = JSON.stringify(odd).replaceAll("__PROTO__", "__proto__");

const upstream = await httpServer();
const compiled = await compileDocuments(["odd.json"], {
  packageRoot: projectRoot,
  fileSystem: createMemoryFileSystem({ "odd.json": text }),
});
if (compiled.files === undefined) throw new Error(renderPretty(compiled.diagnostics, { color: false }));
const module = await loadGateway(compiled.files);
const gateway = await module.serveGateway(module.default, {
  environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", UPSTREAM: upstream.url },
  log: createLogger("silent"),
});

test.after(async () => {
  await gateway.close();
  await upstream.close();
});

async function send(options: RequestInit): Promise<readonly [number, readonly string[]]> {
  const response = await fetch(`${gateway.addresses.gateway}/odd/`, options);
  const text = await response.text();
  if (response.status === 200) return [200, []];
  const {
    faults = [],
  }: { readonly faults?: readonly { readonly pointer: string; readonly reason: string }[] } =
    JSON.parse(text);
  return [response.status, faults.map(({ pointer, reason }) => `${pointer} ${reason}`)];
}

test("schema names in places that hold no schema are ignored, and schema names do not collide", async () => {
  const places: readonly ((named: object) => object)[] = [
    ...["contentSchema", "contains", "not", "unknown", "dependencies", "const", "default", "$vocabulary"].map(
      (keyword) => (named: object) => ({ [keyword]: named }),
    ),
    (named) => ({ unknown: { deeper: [{ properties: named }] } }),
    (named) => ({ dependentSchemas: { a: { contentSchema: { anyOf: [named] } } } }),
    (named) => ({ enum: [named] }),
  ];
  const names = ["", "#", "check", "checkO0Body", "https://example.com/a", "__proto__"];
  const schemas = places.flatMap((place) =>
    ["$id", "id", "$anchor"].flatMap((keyword) => names.map((name) => place({ [keyword]: name }))),
  );
  const operation = (schema: object, index: number) => [
    `/o${index}`,
    {
      post: {
        operationId: `o${index}`,
        requestBody: { content: { "application/json": { schema } } },
        responses: { 200: { description: "ok" } },
      },
    },
  ];
  // If two schemas of a document have the same name, the checker reports the second.
  const documents = schemas.map((schema, index) => ({
    openapi: "3.1.0",
    info: { title: `Named ${index}`, version: "1" },
    paths: Object.fromEntries([operation(schema, index)]),
    "x-gw-api-gateway": {
      ...odd["x-gw-api-gateway"],
      info: { name: `named${index}`, state: { active: true } },
      server: { listenPath: { value: `/named${index}/` } },
    },
  }));
  const files = Object.fromEntries(
    documents.map((each, index) => [`named${index}.json`, JSON.stringify(each)]),
  );
  const built = await compileDocuments(Object.keys(files), {
    packageRoot: projectRoot,
    fileSystem: createMemoryFileSystem(files),
  });
  const errors = built.diagnostics.filter(({ severity }) => severity === "error");
  assert.equal(
    errors.filter(({ code }) => !["GW1033", "GW1032", "GW1031"].includes(code)).map(({ code }) => code),
    [],
  );
  // The remaining schemas build as well.
  const refused = new Set(errors.map(({ span }) => span.source.file.path));
  const sound = Object.keys(files).filter((name) => !refused.has(name));
  assert.ok(sound.length > schemas.length / 2);
  const again = await compileDocuments(sound, {
    packageRoot: projectRoot,
    fileSystem: createMemoryFileSystem(files),
  });
  assert.ok(again.files, renderPretty(again.diagnostics, { color: false }));
});

test("URLs are read in linear time", async () => {
  const headers = { "content-type": "application/json" };
  const post = async (body: object) => send({ method: "POST", body: JSON.stringify(body), headers });
  assert.equal(await post({ home: "https://example.com/a" }), [200, []]);
  assert.equal(await post({ home: "example.com" }), [422, ['/body/home must match format "url"']]);
  const emitted = compiled.files?.get("validators.ts") ?? "";
  assert.match(emitted, "isUrl");
  assert.not.match(emitted, "ftp", "nothing of the expression of the library");
});

/** Returns how many numbers `JSON.stringify` prints until a request has its response. */
async function countPrinted(run: () => Promise<unknown>): Promise<number> {
  const { stringify } = JSON;
  let count = 0;
  JSON.stringify = (...given: unknown[]) => {
    if (typeof given[0] === "number") count += 1;
    return Reflect.apply(stringify, JSON, given);
  };
  try {
    await run();
  } finally {
    JSON.stringify = stringify;
  }
  return count;
}

test("unique items of lists in each other are read once", async () => {
  const headers = { "content-type": "application/json" };
  const post = (leaves: string, depth: number) => {
    const body = `{"tree":${'{"more":['.repeat(depth)}{"leaves":[${leaves}]}${"]}".repeat(depth)}}`;
    return send({ method: "POST", body, headers });
  };
  const numbers = Array.from({ length: 500 }, (_, index) => index).join();
  const printed = await countPrinted(async () => assert.equal(await post(numbers, 100), [200, []]));
  assert.ok(printed <= 2 * 500, `printed ${printed} numbers`);
  const [status] = await post("1,1", 3);
  assert.is(status, 422);
});

test("errors of many items are collected without copying those before them", async () => {
  const { concat } = Array.prototype;
  let copied = 0;
  Array.prototype.concat = function (this: unknown[], ...given: unknown[]) {
    copied += this.length;
    return Reflect.apply(concat, this, given);
  };
  const items = Array.from({ length: 1000 }, (_, index) => index);
  const body = JSON.stringify({ tree: { more: items } });
  try {
    const [status, faults] = await send({
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    assert.is(status, 422);
    assert.is(faults.length, 20);
    assert.is(faults[0], "/body/tree/more/0 must be object");
  } finally {
    Array.prototype.concat = concat;
  }
  assert.ok(copied < 10 * items.length, `copied ${copied} errors`);
});

test("the value null is no type, in JSON either, and the name of the type is proposed", async () => {
  const nameless = text.replace('"type":"null"', '"type":null');
  const { files, diagnostics } = await compileDocuments(["odd.json"], {
    packageRoot: projectRoot,
    fileSystem: createMemoryFileSystem({ "odd.json": nameless }),
  });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  assert.equal(
    errors.map(({ code, span, hint }) => [code, nameless.slice(span.start, span.end), hint]),
    [["GW4092", "null", 'Did you mean `"null"`?']],
  );
  assert.is(files, undefined);
});

test("keywords that only the validator knows are ignored", async () => {
  const headers = { "content-type": "application/json" };
  const ask = (body: string) => send({ method: "POST", body, headers });
  assert.equal(await ask('{"a":"x"}'), [200, []]);
  assert.equal(await ask('{"a":1}'), [422, ["/body/a must be string"]]);
  assert.equal(await ask('{"a":null}'), [422, ["/body/a must be string"]]);
});

test("keywords of older drafts are enforced", async () => {
  const headers = { "content-type": "application/json" };
  const ask = async (body: string) => (await send({ method: "POST", body, headers }))[0];
  for (const fits of ['{"c":6}', '{"d":["a"]}', '{"d":[]}', '{"e":null}', '{"hasOwnProperty":"a"}'])
    assert.is(await ask(fits), 200, fits);
  for (const odd of ['{"c":5}', '{"d":[1]}', '{"d":["a","b"]}', '{"e":1}', '{"hasOwnProperty":1}'])
    assert.is(await ask(odd), 422, odd);
});

test("keywords beside references are enforced, and a choice among nothing fits nothing", async () => {
  const headers = { "content-type": "application/json" };
  const ask = async (body: string) => await send({ method: "POST", body, headers });
  assert.equal(await ask('{"f":{"name":"a","kind":"b","size":1}}'), [200, []]);
  assert.equal(await ask('{"made":{"name":"a","kind":"b"}}'), [200, []], "without what is read-only");
  for (const [body, fault] of [
    ['{"f":{"name":"a"}}', "/body/f/kind is required"],
    ['{"f":{"kind":"b"}}', "/body/f/name is required"],
    ['{"f":{"name":"a","kind":"b","size":"1"}}', "/body/f/size must be integer"],
    ['{"f":{"name":"a","kind":"b","more":1}}', "/body/f/more must NOT have unevaluated properties"],
    ['{"made":{"name":"a"}}', "/body/made/kind is required"],
    ['{"g":1}', "/body/g must NOT be valid"],
    ['{"h":1,"i":1,"j":1,"k":1}', "/body must NOT have more than 3 properties"],
    ['{"__proto__":"a"}', "/body/__proto__ must be number"],
  ] as const)
    assert.equal(await ask(body), [422, [fault]], body);
});

test.run();
