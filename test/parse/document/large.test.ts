import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../../compiler/diagnostics/sink.ts";
import { check, createMemoryFileSystem } from "../../../compiler/index.ts";
import { createDocumentMemory } from "../../../compiler/parse/document/document-memory.ts";
import { maximumDepth } from "../../../compiler/parse/document/limits.ts";
import { parseJson } from "../../../compiler/parse/json/parse-json.ts";
import { isSkimmed, skimJson } from "../../../compiler/parse/json/skim-json.ts";
import type { Library } from "../../../compiler/parse/references/library.ts";
import type { LocateOptions } from "../../../compiler/parse/references/locate.ts";
import { createNames } from "../../../compiler/parse/references/names.ts";
import { followReferences, followWithin } from "../../../compiler/parse/references/references.ts";
import { createSourceFile, locate, offsetsOf } from "../../../compiler/source/source.ts";
import { type DocumentNode, findEntry, findNode } from "../../../compiler/trees/document.ts";

/** Objects with more characters than the parser reads in one part. */
const filler = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`filler ${index}`, index]));

/** Returns a tree without the parts that differ between two equal trees. */
function outline(node: DocumentNode): unknown {
  const at = [node.span.start, node.span.end];
  if (node.kind === "scalar") return [node.value, at];
  if (node.kind === "list") return [node.items.map(outline), at];
  return [
    node.entries.map(({ key, keySpan, value }) => [key, keySpan.start, keySpan.end, outline(value)]),
    at,
  ];
}

test("a skimmed tree equals the tree of the full parser, including positions", () => {
  const values = fc.record({
    small: fc.jsonValue(),
    big: fc.jsonValue().map((value) => ({ ...filler, value })),
  });
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      const file = createSourceFile("api.json", ` ${JSON.stringify(value, undefined, indent)}\n`);
      const { report, diagnostics } = createSink();
      const [full, skimmed] = [parseJson(file, report), skimJson(file, report)];
      assert.equal(diagnostics(), []);
      assert.equal(skimmed && outline(skimmed), full && outline(full));
    }),
    { seed: 7 },
  );
});

test("an object that was not read has the keys of its text, and no others", () => {
  const keys = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "$ref", "content", "__proto__"));
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue()), fc.array(keys), (value, others) => {
      const file = createSourceFile("api.json", JSON.stringify({ value }));
      for (const key of [...Object.keys(value), ...others]) {
        const unread = skimJson(file, createSink().report)?.entries[0]?.value;
        assert.ok(unread !== undefined && isSkimmed(unread));
        assert.is(findEntry(unread, key)?.key, Object.hasOwn(value, key) ? key : undefined);
      }
    }),
    { seed: 7 },
  );
  const escaped = createSourceFile("api.json", String.raw`{"value":{"\u0024ref":1,"con\u0074ent":{"":2}}}`);
  const root = skimJson(escaped, createSink().report);
  assert.ok(findNode(root, "value", "$ref"));
  assert.ok(findNode(root, "value", "content", ""));
});

test("duplicate keys and objects nested too deep are reported once they are read", () => {
  const twice = createSourceFile("api.json", `{"a":1,"b":{"c":1,"c":2,${JSON.stringify(filler).slice(1)}}`);
  const deep = `${`{"a":`.repeat(maximumDepth + 5)}${JSON.stringify(filler)}${"}".repeat(maximumDepth + 5)}`;
  for (const [file, code, column] of [
    [twice, "GW1012", 20],
    [createSourceFile("api.json", deep), "GW1007", maximumDepth * 5 + 1],
  ] as const) {
    const { report, diagnostics } = createSink();
    const root = skimJson(file, report);
    assert.ok(root !== undefined && isSkimmed(root));
    assert.equal(diagnostics(), []);
    outline(root);
    const found = diagnostics().map((diagnostic) => [diagnostic.code, locate(diagnostic.span).start.column]);
    assert.equal(found, [[code, column]]);
  }
});

test("mistakes of small objects are reported with the large object around them, and the values between stay", () => {
  const deep = `${"[".repeat(maximumDepth)}${"]".repeat(maximumDepth)}`;
  const small = `"a":{"b":{"c":1,"d":[2],"c":[3]}},"e":1e999,"f":{"g":${deep}},"h":{"i":{}}`;
  const file = createSourceFile("api.json", `{"large":{${small},${JSON.stringify(filler).slice(1)}}`);
  const { report, diagnostics } = createSink();
  const large = skimJson(file, report)?.entries[0]?.value;
  assert.equal(diagnostics(), []);
  assert.ok(large?.kind === "map");
  const keys = large.entries.map(({ key }) => key);
  assert.equal(keys.slice(0, 4), ["a", "e", "h", "filler 0"]);
  assert.equal(
    diagnostics().map(({ code, span }) => [code, file.text.slice(span.start, span.end)]),
    [
      ["GW1012", "c"],
      ["GW1020", "1e999"],
      ["GW1007", "["],
    ],
  );
});

function served(verb: string): object {
  return { [verb]: { responses: { 200: { description: "Done." } } } };
}

/** Paths of over a megabyte. */
function filling(): object {
  const operations = Array.from({ length: 3000 }, (_, index) => [
    `/things/${index}`,
    { get: { description: "x".repeat(350), responses: { 200: { description: "One of them." } } } },
  ]);
  return Object.fromEntries(operations);
}

/** A document of over a megabyte whose one stream takes what `schema` says. */
async function checkLarge(schema: unknown, extra: object = {}, input?: object, more: object = {}) {
  const document = {
    openapi: "3.1.1",
    info: { title: "Large", version: "1" },
    paths: { ...filling(), "/in": served("post"), "/out": served("get") },
    components: {
      schemas: { Thing: { type: "object" }, A: { $ref: "#/components/schemas/B" }, ...extra },
    },
    ...more,
    "x-gw-streaming": {
      streams: {
        a: {
          input: input ?? { http_server: { path: "/in" }, schema },
          output: { http_server: { path: "/out" } },
        },
      },
    },
  };
  const text = JSON.stringify(document);
  assert.ok(text.length > 1_000_000);
  const { diagnostics } = await check(["api.json"], {
    fileSystem: createMemoryFileSystem({ "api.json": text }),
  });
  return diagnostics.map(({ code, span }) => [code, text.slice(span.start, span.end)]);
}

test("a large document is checked where its streams refer to", async () => {
  assert.equal(await checkLarge({ $ref: "#/components/schemas/Thing" }), []);
});

test("broken references of a large document are reported where they are followed", async () => {
  const input = { $ref: "#/components/schemas/Thng" };
  assert.equal(await checkLarge({ type: "object" }, {}, input), [["GW1030", "#/components/schemas/Thng"]]);
});

test("broken references of operations that no stream serves are reported", async () => {
  const gone = (part: string) => ({ $ref: `#/components/${part}/Gone` });
  const operation = {
    parameters: [gone("parameters")],
    requestBody: gone("requestBodies"),
    responses: { 200: gone("responses") },
  };
  const paths = { ...filling(), "/in": served("post"), "/out": served("get"), "/more": { post: operation } };
  const found = await checkLarge({ type: "object" }, {}, undefined, { paths });
  const parts = ["parameters", "requestBodies", "responses"];
  assert.equal(
    found.toSorted(),
    parts.map((part) => ["GW1030", gone(part).$ref]),
  );
});

test("mistakes in operations that no stream serves are reported", async () => {
  const json = (type: string) => ({ content: { [type]: {} } });
  const operation = (body: object, response: object) => ({
    operationId: "same",
    requestBody: body,
    responses: { 200: { description: "One.", ...response }, 404: { description: "None." } },
  });
  const paths = {
    ...{ ...filling(), "/in": served("post"), "/out": served("get") },
    "/right": { post: operation(json("application/json"), json("application/vnd.own+json")) },
    "/body": { post: operation(json("aplication/json"), json("text/plain; charset=utf-8")) },
    "/response": { post: operation({ $ref: "#/components/requestBodies/Sent" }, json("text/plan")) },
  };
  const components = { schemas: {}, requestBodies: { Sent: json("text/htm") } };
  assert.equal((await checkLarge({ type: "object" }, {}, undefined, { paths, components })).toSorted(), [
    ["GW4096", "aplication/json"],
    ["GW4096", "text/htm"],
    ["GW4096", "text/plan"],
    ["GW4233", "same"],
    ["GW4233", "same"],
  ]);
});

test("mistakes in a large OpenAPI description are reported", async () => {
  const found = await checkLarge({ type: "object" }, { Bad: 5 });
  assert.equal(found, [["GW1045", "5"]]);
});

test("each mistake in schemas of a large document is reported, also in those with the same text", async () => {
  const right = { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } };
  const wrong = { type: "object", properties: { a: { type: "string" }, b: { type: "strng" } } };
  const named = {
    type: "object",
    properties: { $ref: { type: "string" }, more: { $ref: "#/components/schemas/More" } },
  };
  const schema = {
    type: "object",
    properties: { a: right, b: wrong, c: right, d: wrong, e: named, f: named },
  };
  const found = await checkLarge(schema, { More: { properties: { a: right, b: wrong } } });
  assert.equal(found, Array(3).fill(["GW4092", "strng"]));
});

test("schemas of a large document that differ in references and texts for people have their own mistakes", async () => {
  const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const schema = (title: unknown, choice: string, next: string) => ({
    type: "object",
    description: `Leads to ${next}.`,
    properties: { title, choice: { oneOf: [to("Thing"), to(choice)] }, next: to(next) },
  });
  const text = { type: "string", title: "A title" };
  const found = await checkLarge(to("First"), {
    First: schema(text, "More", "Second"),
    Second: schema({ ...text, title: "The title" }, "Thing", "Third"),
    Third: schema("Not a schema", "More", "Fourth"),
    Fourth: schema(text, "More", "Gone"),
    More: { properties: { first: to("First") } },
  });
  assert.equal(found.toSorted(), [
    ["GW1030", "#/components/schemas/Gone"],
    ["GW4092", "Not a schema"],
    ["GW4293", "#/components/schemas/Thing"],
  ]);
});

test("repeated parameters and unknown schemes are reported in every operation of a large document", async () => {
  const parameter = { name: "a", in: "query", schema: { type: "string" } };
  const kept = { $ref: "#/components/parameters/Kept" };
  const get = (more: object) => ({ get: { responses: { 200: { description: "One." } }, ...more } });
  const paths = {
    ...{ ...filling(), "/in": served("post"), "/out": served("get") },
    "/twice": get({ parameters: [parameter, parameter] }),
    "/shared": { parameters: [kept, parameter], ...get({ parameters: [parameter] }) },
    "/elsewhere": { $ref: "#/x-items/a" },
    "/secured": get({ security: [{ unknown: [] }] }),
  };
  const found = await checkLarge({ type: "object" }, {}, undefined, {
    paths,
    components: { parameters: { Kept: parameter } },
    "x-items": { a: get({ parameters: [kept, kept], security: [{ other: [] }] }) },
  });
  assert.equal(found.toSorted(), [
    ["GW4071", "other"],
    ["GW4071", "unknown"],
    ["GW4293", "a"],
    ["GW4293", "a"],
  ]);
});

test("wrong media types of a large document are reported wherever operations refer to", async () => {
  const wrong = { "aplication/json": {} };
  const response = { description: "One.", content: wrong };
  const whole = (get: object) => ({ "/whole": { get: { responses: { 200: { description: "" } }, ...get } } });
  const cases: readonly (readonly [name: string, paths: object, more?: object])[] = [
    ["in place", whole({ responses: { 200: response } })],
    ["a body", whole({ requestBody: { content: { "application/json": {}, ...wrong } } })],
    [
      "a response elsewhere",
      whole({ responses: { 200: { $ref: "#/x-other/a" } } }),
      { "x-other": { a: response } },
    ],
    [
      "types elsewhere",
      whole({ responses: { 200: { description: "", content: { $ref: "#/x-other" } } } }),
      { "x-other": wrong },
    ],
  ];
  for (const [name, paths, more] of cases) {
    const all = { ...filling(), "/in": served("post"), "/out": served("get"), ...paths };
    const found = await checkLarge({ type: "object" }, {}, undefined, { ...more, paths: all });
    assert.equal(
      found.filter(([code]) => code === "GW4096"),
      [["GW4096", "aplication/json"]],
      name,
    );
  }
});

/** A description whose components refer to each other in every way; `line` stands in an operation. */
function referring(line: string): string {
  const reference = (to: string) => `{ $ref: "#/${to}" }`;
  return `openapi: 3.1.1
info: { title: References, version: "1" }
paths:
  /a:
    get:
      description: ${line}
      parameters:
        - ${reference("components/parameters/P")}
      responses:
        200: { description: "", content: { a/b: { schema: ${reference("components/schemas/A")} } } }
        400: ${reference("paths/~1b/get/responses/200")}
        404: ${reference("components/responses/None")}
  /b:
    get:
      responses:
        200:
          description: ""
          content: { a/b: { schema: ${reference("components/schemas/X/properties/p")}, example: ${reference("nowhere")} } }
x-data:
  schema: { properties: { a: ${reference("components/schemas/None")} } }
components:
  parameters: { P: { name: p, in: query, schema: ${reference("x-data/schema")} } }
  schemas:
    A: { properties: { a: ${reference("components/schemas/A")}, b: ${reference("components/schemas/B")} } }
    B: ${reference("components/schemas/C")}
    C: { type: object, default: ${reference("components/schemas/None")}, properties: { d: { $ref: "#named" } } }
    Circle: ${reference("components/schemas/Back")}
    Back: ${reference("components/schemas/Circle")}
    X: ${reference("components/schemas/Y")}
    Y: { $anchor: named, properties: { p: ${reference("components/schemas/B/properties/d")} } }
`;
}

test("references of an edited long document equal those of a new one", async () => {
  const path = "api.yaml";
  const documents = createDocumentMemory();
  let text = referring("one");
  const edits = [
    (all: string) => all,
    (all: string) => all.replace("description: one", "description: two"),
    (all: string) => all.replace('schemas/A"', 'schemas/Y"'),
    (all: string) => all.replace("    B: { $ref: ", "    B2: { $ref: "),
    (all: string) => all.replace("    B2: ", "    B: "),
    (all: string) => all.replace("parameters/P", "parameters/Q"),
    (all: string) => all.replace("x-data/schema", "paths/~1b"),
  ];
  for (const edit of edits) {
    text = edit(text);
    const reports: string[][] = [[], []];
    const { root } = documents.parse(createSourceFile(path, text), () => {});
    assert.ok(root?.kind === "map");
    const optionsFor = (into: string[] | undefined): LocateOptions => ({
      library: { rootOf: () => root, find: () => undefined } as unknown as Library,
      names: createNames(),
      allowFiles: true,
      report: (code, span) => into?.push(`${code} ${offsetsOf(span).start}`),
    });
    const kept = followWithin(root, optionsFor(reports[0]));
    const fresh = await followReferences(root, optionsFor(reports[1]));
    const pending: DocumentNode[] = [root];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      assert.is(kept?.resolve(node), fresh.resolve(node));
      if (node.kind === "list") pending.push(...node.items);
      if (node.kind === "map") pending.push(...node.entries.map(({ value }) => value));
    }
    assert.equal(reports[0]?.toSorted(), reports[1]?.toSorted());
    assert.ok(reports[0]?.length);
  }
});

test.run();
