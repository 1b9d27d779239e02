import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../../compiler/diagnostics/sink.ts";
import { check, createMemoryFileSystem } from "../../../compiler/index.ts";
import { maximumDepth } from "../../../compiler/parse/document/limits.ts";
import { parseJson } from "../../../compiler/parse/json/parse-json.ts";
import { isSkimmed, skimJson, skipBlanks, skipValue } from "../../../compiler/parse/json/skim-json.ts";
import { createSourceFile, locate } from "../../../compiler/source/source.ts";
import type { DocumentNode } from "../../../compiler/trees/document.ts";

/** Objects of more characters than are read at once. */
const filler = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`filler ${index}`, index]));

/** A tree without what makes two of them different objects. */
function outline(node: DocumentNode): unknown {
  const at = [node.span.start, node.span.end];
  if (node.kind === "scalar") return [node.value, at];
  if (node.kind === "list") return [node.items.map(outline), at];
  return [
    node.entries.map(({ key, keySpan, value }) => [key, keySpan.start, keySpan.end, outline(value)]),
    at,
  ];
}

test("a skimmed tree is the tree of the full parser, places included", () => {
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

test("any value is skipped to its end", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      assert.is(skipValue(` ${text} , "]}`, skipBlanks(` ${text}`, 0)), text.length + 1);
    }),
    { seed: 7 },
  );
});

test("keys written twice, and objects too deep, are reported where somebody looks", () => {
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

function served(verb: string): object {
  return { [verb]: { responses: { 200: { description: "Done." } } } };
}

/** A document of over a megabyte whose one stream takes what `schema` says. */
async function checkLarge(schema: unknown, extra: object = {}, input?: object) {
  const operations = Array.from({ length: 3000 }, (_, index) => [
    `/things/${index}`,
    { get: { description: "x".repeat(350), responses: { 200: { description: "One of them." } } } },
  ]);
  const document = {
    openapi: "3.1.1",
    info: { title: "Large", version: "1" },
    paths: Object.fromEntries([...operations, ["/in", served("post")], ["/out", served("get")]]),
    components: {
      schemas: { Thing: { type: "object" }, A: { $ref: "#/components/schemas/B" }, ...extra },
    },
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

test("a large document is checked where its streams look", async () => {
  assert.equal(await checkLarge({ $ref: "#/components/schemas/Thing" }), []);
});

test("references of a large document that lead nowhere are found where they are followed", async () => {
  const input = { $ref: "#/components/schemas/Thng" };
  assert.equal(await checkLarge({ type: "object" }, {}, input), [["GW1030", "#/components/schemas/Thng"]]);
});

test("mistakes of a large OpenAPI description are found", async () => {
  const found = await checkLarge({ type: "object" }, { Bad: 5 });
  assert.equal(found, [["GW1045", "5"]]);
});

test.run();
