import { test } from "uvu";
import * as assert from "uvu/assert";
import { type DocumentNode, findNode, findText, toJson } from "../../../compiler/trees/document.ts";
import { minimal, openapi, read } from "./reading.ts";

const streams = "x-gw-streaming: { streams: {} }\n";

function schemas(body: string): string {
  return openapi(`paths: {}\n${streams}components:\n  schemas:\n${body}`);
}

test("a reference within the document is resolved on demand", async () => {
  const { apis, problems } = await read({
    "a.yaml": schemas("    A: { $ref: '#/components/schemas/B' }\n    B: { type: string }\n"),
  });
  assert.equal(problems, []);
  const [api] = apis;
  assert.is(findText(api?.references.find(api.root, "components", "schemas", "A"), "type"), "string");
  assert.is(findText(findNode(api?.root, "components", "schemas", "A"), "$ref"), "#/components/schemas/B");
});

test("a schema may refer to itself", async () => {
  const tree = "    A: { type: object, properties: { next: { $ref: '#/components/schemas/A' } } }\n";
  const { apis, problems } = await read({ "a.yaml": schemas(tree) });
  assert.equal(problems, []);
  const [api] = apis;
  const path = ["components", "schemas", "A", "properties", "next", "properties", "next", "type"];
  const node = api?.references.find(api.root, ...path);
  assert.is(node?.kind === "scalar" && node.value, "object");
});

test("references resolve files, folders, and escapes in pointers and paths", async () => {
  const files = {
    "apis/a.yaml": schemas(
      "    A: { $ref: '../shared/my%20schemas.json#/a~1b/c~0d/%C3%A9/0' }\n    B: { $ref: './b.yaml' }\n",
    ),
    "apis/b.yaml": "$ref: ../shared/b.yaml#here\n",
    "shared/b.yaml": "deep: { x: { $anchor: here, type: integer } }\n",
    "shared/my schemas.json": '{"a/b": {"c~d": {"é": [{"type": "string"}]}}}',
  };
  const { apis, problems } = await read(files);
  assert.equal(problems, []);
  const [api] = apis;
  const type = (name: string) =>
    findText(api?.references.find(api.root, "components", "schemas", name), "type");
  assert.equal([type("A"), type("B")], ["string", "integer"]);
  assert.is(
    api?.references.find(api.root, "components", "schemas", "A")?.span.source.file.path,
    "shared/my schemas.json",
  );
});

test("a pointer may pass through references", async () => {
  const body = "    A: { $ref: '#/components/schemas/B/properties/x' }\n    B: { $ref: c.yaml }\n";
  const { apis, problems } = await read({
    "a.yaml": schemas(body),
    "c.yaml": "properties: { x: { type: boolean } }\n",
  });
  assert.equal(problems, []);
  const [api] = apis;
  assert.is(findText(api?.references.find(api.root, "components", "schemas", "A"), "type"), "boolean");
});

test("a broken reference is reported at its text, with the nearest name", async () => {
  const { problems } = await read({
    "a.yaml": schemas("    Order: { type: object }\n    A: { $ref: '#/components/schemas/Ordre' }\n"),
  });
  assert.equal(problems, [
    "a.yaml:8:17-43 GW1030 The reference `#/components/schemas/Ordre` does not resolve: `Ordre` does not exist. | Did you mean `Order`?",
  ]);
});

test("a broken reference in another file is reported in that file", async () => {
  const files = { "a.yaml": schemas("    A: { $ref: b.yaml }\n"), "b.yaml": "items:\n  $ref: '#/x'\n" };
  assert.match((await read(files)).problems[0] ?? "", /^b\.yaml:2:10-13 GW1030 /);
});

test("a missing file is reported at the reference", async () => {
  const files = { "a.yaml": schemas("    A: { $ref: ordr.yaml }\n"), "order.yaml": "{}\n" };
  assert.equal((await read(files)).problems, [
    "a.yaml:7:16-25 GW1001 The file `ordr.yaml` does not exist. | Did you mean `order.yaml`?",
  ]);
});

test("references to network and file: URLs are rejected", async () => {
  for (const url of ["https://example.com/a.yaml", "http://localhost/a.yaml#/x", "//example.com/a.yaml"]) {
    assert.match(
      (await read({ "a.yaml": schemas(`    A: { $ref: '${url}' }\n`) })).problems[0] ?? "",
      /:7:17-\d+ GW1031/,
    );
  }
  const { problems } = await read({ "a.yaml": schemas("    A: { $ref: 'file:///etc/hostname' }\n") });
  assert.match(problems[0] ?? "", /GW1033/);
});

test("a URL that equals the `$id` of a schema in the document refers to that schema", async () => {
  const body =
    "    A: { $id: 'https://example.com/a', type: string }\n    B: { $ref: 'https://example.com/a' }\n";
  assert.equal((await read({ "a.yaml": schemas(body) })).problems, []);
});

test("file references can be disabled for a document", async () => {
  const files = { "a.yaml": schemas("    A: { $ref: b.yaml }\n"), "b.yaml": "{}\n" };
  const { problems } = await read(files, undefined, { allowFileReferences: false });
  assert.match(problems[0] ?? "", /^a\.yaml:7:16-22 GW1034/);
});

test("schema files are rejected too if file references are disabled", async () => {
  const processor = "pipeline: { processors: [{ json_schema: { schema_path: ../secret.json } }] }";
  const files = { "a.yaml": `input: { http_server: { path: /in } }\n${processor}\noutput: { drop: {} }\n` };
  const { problems } = await read(files, ["a.yaml"], { allowFileReferences: false });
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /^a\.yaml:2:56-70 GW1034/);
});

test("circular references are reported", async () => {
  const body = "    A: { $ref: '#/components/schemas/B' }\n    B: { $ref: '#/components/schemas/A' }\n";
  const { problems, apis } = await read({ "a.yaml": schemas(body) });
  assert.equal(
    problems.map((problem) => problem.slice(0, 20)),
    ["a.yaml:7:17-39 GW103"],
  );
  const [api] = apis;
  assert.is(api?.references.find(api.root, "components", "schemas", "A"), undefined);
});

test("`$ref` in examples and in extensions of other tools is data", async () => {
  const body =
    "    A: { type: object, example: { $ref: '#/nowhere' }, properties: { example: { type: string } } }\n";
  assert.equal((await read({ "a.yaml": `${schemas(body)}x-other: { $ref: nowhere.yaml }\n` })).problems, []);
});

test("a property named `example` is not an example", async () => {
  const body = "    A: { type: object, properties: { example: { $ref: '#/nowhere' } } }\n";
  assert.match((await read({ "a.yaml": schemas(body) })).problems[0] ?? "", /GW1030/);
});

function extension(root: DocumentNode | undefined): unknown {
  return root && toJson(root);
}

test("references in streams and their parts are resolved, and fields next to a reference override it", async () => {
  const files = {
    "a.yaml": openapi(`paths: {}
x-gw-streaming:
  streams:
    one: { $ref: shared.yaml#/streams/one }
    two:
      input: { $ref: shared.yaml#/kafka, label: mine }
      schema: { $ref: '#/components/schemas/A' }
`),
    "shared.yaml":
      "kafka: { kafka: { topics: [a] }, label: theirs }\nstreams: { one: { input: { $ref: '#/kafka' } } }\n",
  };
  const { apis } = await read(files);
  assert.equal(extension(apis[0]?.streaming), {
    streams: {
      one: { input: { kafka: { topics: ["a"] }, label: "theirs" } },
      two: {
        input: { kafka: { topics: ["a"] }, label: "mine" },
        schema: { $ref: "#/components/schemas/A" },
      },
    },
  });
  const kafka = findNode(apis[0]?.streaming, "streams", "one", "input", "kafka");
  assert.is(kafka?.span.source.file.path, "shared.yaml");
});

test("a stream with a broken reference does not hide the others", async () => {
  const body =
    "paths: {}\nx-gw-streaming:\n  streams:\n    one: { input: { $ref: '#/x' } }\n    two: { input: { nats: {} } }\n";
  const { apis, problems } = await read({ "a.yaml": openapi(body) });
  assert.match(problems[0] ?? "", /^a\.yaml:6:28-31 GW1030/);
  assert.equal(extension(findNode(apis[0]?.streaming, "streams")), { two: { input: { nats: {} } } });
});

test("a stream that contains itself is rejected", async () => {
  const body =
    "paths: {}\nx-gw-streaming:\n  streams:\n    one: { input: { broker: { $ref: '#/x-gw-streaming/streams/one' } } }\n";
  const { problems } = await read({ "a.yaml": openapi(body) });
  assert.match(problems[0] ?? "", /^a\.yaml:6:\d+-\d+ GW1032/);
});

test("exponential expansion of references is rejected", async () => {
  const rows = ["  - { k: 1 }"];
  for (let row = 1; row < 40; row++) {
    const one = `{ $ref: '#/x-gw-note/${row - 1}' }`;
    rows.push(`  - [${Array(5).fill(one).join(", ")}]`);
  }
  const text = minimal.replace("streams: {} }", "streams: { a: { $ref: '#/x-gw-note/39' } } }");
  const { problems } = await read({ "a.yaml": `${text}x-gw-note:\n${rows.join("\n")}\n` });
  assert.ok(
    problems.some((problem) => problem.includes("GW1015")),
    problems.join("\n"),
  );
});

test.run();
