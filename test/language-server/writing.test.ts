import * as assert from "uvu/assert";
import {
  type CompletionItem,
  CompletionItemTag,
  type CompletionList,
  type Hover,
  type MarkupContent,
  type SignatureHelp,
} from "vscode-languageserver-protocol";
import { referenceOf } from "../../compiler/cli/reference.ts";
import { coreDialect } from "../../compiler/trees/dialect.ts";
import { type Editor, editorSuite, marked, startEditor } from "./client.ts";

const tests = editorSuite("writing with an editor");

const document = (pipeline: string, rest = "") => `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
servers: [{ url: /orders }]
paths:
  /new:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Order" }
      responses: { "200": { description: Taken } }
components:
  schemas:
    Order:
      type: object
      additionalProperties: false
      required: [id, state, items]
      properties:
        id: { type: string }
        state: { type: string, enum: [open, paid] }
        items: { type: array, items: { type: object, properties: { price: { type: number } } } }
x-gw-streaming:
  streams:
    intake:
      input:
        http_server: { path: /new }
      pipeline:
        processors:
${pipeline}
      output:
        drop: {}
${rest}`;

const mapping = (text: string) =>
  document(
    `          - mapping: |\n${text
      .split("\n")
      .map((line) => `              ${line}`)
      .join("\n")}`,
  );

let opened = 0;

async function completeIn(
  editor: Editor,
  text: string,
  extension = "yaml",
): Promise<readonly CompletionItem[]> {
  const name = `complete-${opened++}.${extension}`;
  const { text: whole, at } = marked(text);
  await editor.open(name, whole);
  const list = await editor.ask<CompletionList>("textDocument/completion", name, at);
  await editor.close(name);
  return list.items;
}

const labels = (items: readonly CompletionItem[]) => items.map(({ label }) => label);

function includes(items: readonly CompletionItem[], ...wanted: readonly string[]): void {
  for (const each of wanted)
    assert.ok(labels(items).includes(each), `${each} is not among ${labels(items).join(", ")}`);
}

function excludes(items: readonly CompletionItem[], ...unwanted: readonly string[]): void {
  for (const each of unwanted) assert.not.ok(labels(items).includes(each), `${each} is proposed`);
}

async function hoverIn(editor: Editor, text: string): Promise<string> {
  const name = `hover-${opened++}.yaml`;
  const { text: whole, at } = marked(text);
  await editor.open(name, whole);
  const hover = await editor.ask<Hover | null>("textDocument/hover", name, at);
  await editor.close(name);
  return hover === null ? "" : (hover.contents as MarkupContent).value;
}

tests("fields of the message come from its schema", async ({ editor }) => {
  for (const line of [
    "root.a = this.‸",
    "root.a = this.it‸",
    "root.a = this.‸\nroot.b = 1",
    "root = this.‸.string()",
  ])
    includes(await completeIn(editor, mapping(line)), "id", "state", "items", "string");
  const elements = await completeIn(editor, mapping("root.a = this.items.map_each(item -> item.‸)"));
  includes(elements, "price");
  excludes(elements, "state");
  includes(await completeIn(editor, mapping("root.a = this.items.map_each(item -> item.‸")), "price");
  for (const check of ["this.‸", "this.‸ == 1"])
    includes(await completeIn(editor, document(`          - switch: [{ check: ${check} }]`)), "id");
});

tests("methods fit what they are called on", async ({ editor }) => {
  const ofText = await completeIn(editor, mapping("root.a = this.id.‸"));
  includes(ofText, "uppercase", "split");
  excludes(ofText, "map_each", "sum");
  const ofArray = await completeIn(editor, mapping("root.a = this.items.‸"));
  includes(ofArray, "map_each", "length");
  excludes(ofArray, "uppercase");
  const method = ofText.find(({ label }) => label === "uppercase");
  assert.match(method?.detail ?? "", "uppercase()");
});

tests("names in reach are proposed", async ({ editor }) => {
  includes(await completeIn(editor, mapping("let total = 1\nroot.a = $‸")), "total");
  includes(await completeIn(editor, mapping("let total = 1\nroot.a = ‸")), "$total", "this", "now", "id");
  includes(await completeIn(editor, mapping("root.a = this.id.split(‸)")), "delimiter:");
  includes(await completeIn(editor, mapping('map one { root = this }\nroot = this.apply("‸")')), "one");
  await editor.write({ "imported.blobl": "map two { root = this }\n" });
  const imported = 'import "./imported.blobl"\nroot = this.apply("‸")';
  includes(await completeIn(editor, mapping(imported)), "two");
  const cases = await completeIn(editor, mapping('root.a = match this.state {\n  "‸" => 1\n}'));
  assert.equal(labels(cases).toSorted(), ["open", "paid"]);
  includes(await completeIn(editor, mapping("root.a = 1\n‸")), "root", "let", "meta");
  const values = await completeIn(editor, mapping('root.a = this.state == "‸"'));
  assert.equal(labels(values).sort(), ["open", "paid"]);
  includes(await completeIn(editor, mapping("meta tenant = this.id\nroot.a = @‸")), "http_server_verb");
});

tests("a variable is proposed where it is set for certain", async ({ editor }) => {
  const text = `let first = this.id
if this.state == "open" {
  let branch = 1
  let both = 1
} else {
  let both = 2
}
map inner {
  let own = 1
  root = MAP
}
let second = VALUE
root.a = END
let third = 1`;
  const at = async (place: string) => {
    const script = text.replace(place, "$‸").replaceAll(/MAP|VALUE|END/g, "1");
    return labels(await completeIn(editor, mapping(script))).toSorted();
  };
  assert.equal(await at("MAP"), ["own"]);
  assert.equal(await at("VALUE"), ["both", "first"]);
  assert.equal(await at("END"), ["both", "first", "second"]);
});

tests("a mapping learns from the one before it", async ({ editor }) => {
  const text = document(`          - mapping: |
              root.sum = this.items.map_each(item -> item.price).sum()
              root.name = this.id
          - mapping: root.x = this.‸`);
  const items = await completeIn(editor, text);
  includes(items, "sum", "name");
  excludes(items, "items");
});

tests("components, fields and values are proposed where they belong", async ({ editor }) => {
  includes(await completeIn(editor, document("          - ‸")), "mapping", "switch", "branch");
  includes(await completeIn(editor, document("          - ma‸")), "mapping");
  const fields = await completeIn(
    editor,
    document("          - mapping: root = this").replace("{ path: /new }", "{ path: /new, ‸ }"),
  );
  includes(fields, "allowed_verbs");
  excludes(fields, "path");
  const lines = document("          - mapping: root = this").replace(
    "drop: {}",
    "kafka:\n          topic: a\n          ‸",
  );
  includes(await completeIn(editor, lines), "addresses", "client_id");
  includes(
    await completeIn(
      editor,
      document("          - mapping: root = this").replace("{ path: /new }", "{ path: ‸ }"),
    ),
    "/new",
  );
  const reference = document("          - mapping: root = this").replace(
    '"#/components/schemas/Order"',
    '"‸"',
  );
  const responses = "components:\n  responses: { taken: { description: Taken } }\n";
  const references = await completeIn(editor, reference.replace("components:\n", responses));
  includes(references, "#/components/schemas/Order");
  excludes(references, "#/components/responses/taken");
  includes(await completeIn(editor, "in‸\noutput:\n  drop: {}\n"), "input");
  const inputs = await completeIn(editor, "input:\n  ‸\noutput:\n  drop: {}\n");
  includes(inputs, "kafka", "generate");
  excludes(inputs, "resource");
  const resources =
    "pipeline: { processors: [] }\nprocessor_resources:\n  - { label: stamp, mapping: root = this }\n";
  const processors = await completeIn(editor, `input: { stdin: {} }\n${resources.replace("[]", "[{ ‸ }]")}`);
  assert.is(processors.find(({ label }) => label === "resource")?.insertText, "resource: stamp");
});

tests(
  "nothing is proposed that is refused, and what the set has to allow is struck out",
  async ({ editor }) => {
    const struck = (items: readonly CompletionItem[]) =>
      items.flatMap(({ label, tags = [], detail = "" }) =>
        tags.includes(CompletionItemTag.Deprecated) && detail.includes("allow_unsafe") ? [label] : [],
      );
    const sql = (driver: string) => document(`          - sql_raw: { driver: ${driver} }`);
    const drivers = await completeIn(editor, sql("‸"));
    assert.equal(labels(drivers), ["postgres", "sqlite"]);
    assert.equal(struck(drivers), ["sqlite"]);
    const snippet = (await completeIn(editor, document("          - ‸"))).find(
      ({ label }) => label === "sql_raw",
    );
    assert.match(snippet?.insertText ?? "", /driver: \$\{1\|postgres,sqlite\|\}/);
    excludes(await completeIn(editor, mapping("root.a = this.id.‸")), "bloblang");
    const names = document("").replace(
      "{ type: object, properties: { price: { type: number } } }",
      "{ type: string }",
    );
    const pipeline = `          - mapping: root = this.items.‸\n      output:`;
    const ofTexts = await completeIn(editor, names.replace("\n      output:", `${pipeline}`));
    includes(ofTexts, "join");
    excludes(ofTexts, "sum");
    const stream = "input:\n  ‸\noutput: { drop: {} }\n";
    const inputs = await completeIn(editor, stream);
    includes(inputs, "file");
    assert.ok(["file", "stdin", "subprocess"].every((name) => struck(inputs).includes(name)));
    assert.not.ok(struck(inputs).includes("kafka"));
    assert.ok(struck(await completeIn(editor, mapping("root.a = ‸"))).includes("file"));
    await editor.write({
      "unsafe/gateway.yaml": "apis: [a.yaml]\nallow_unsafe: [file, sqlite, subprocess:sed]\n",
    });
    const allowed = async (text: string) => {
      const { text: whole, at } = marked(text);
      await editor.open("unsafe/a.yaml", whole);
      const { items } = await editor.ask<CompletionList>("textDocument/completion", "unsafe/a.yaml", at);
      return struck(items);
    };
    const inSet = await allowed(stream);
    assert.ok(inSet.includes("stdin"));
    assert.not.ok(inSet.includes("file") || inSet.includes("subprocess"), inSet.join());
    assert.equal(await allowed(sql("‸")), []);
    assert.not.ok((await allowed(mapping("root.a = ‸"))).includes("file"));
    await editor.close("unsafe/a.yaml");
    await editor.remove("unsafe");
  },
);

tests("what belongs to other documents, endpoints and programs is not proposed", async ({ editor }) => {
  const bare = await completeIn(editor, "‸\noutput: { drop: {} }\n");
  includes(bare, "input", "pipeline", "cache_resources");
  excludes(bare, "openapi", "x-gw-streaming", "x-gw-api-gateway");
  const api = await completeIn(editor, "openapi: 3.1.0\n‸\n");
  includes(api, "paths", "x-gw-streaming");
  excludes(api, "x-tyk-streaming", "x-tyk-api-gateway");
  const endpoint = (input: string, output = "drop: {}") =>
    document("          - mapping: root = this")
      .replace(
        "components:",
        "  /events: { get: { responses: { '200': { description: All } } } }\ncomponents:",
      )
      .replace("{ path: /new }", input)
      .replace("drop: {}", output);
  const paths = async (input: string, output?: string) =>
    labels(await completeIn(editor, endpoint(input, output)));
  assert.equal(await paths("{ path: ‸ }"), ["/new"]);
  assert.equal(await paths("{ path: ‸, allowed_verbs: [GET, POST] }"), ["/new", "/events"]);
  assert.equal(await paths("{ ws_path: ‸ }"), ["/events"]);
  assert.equal(await paths("{ path: /new }", "http_server: { stream_path: ‸ }"), ["/events"]);
  const variables = `input: { nats: { urls: ["\${NATS}", "\${GW_URL}", "\${‸"], subject: a } }\noutput: { drop: {} }\n`;
  assert.equal(labels(await completeIn(editor, variables)), ["NATS"]);
  const topics = (written: string) =>
    `input: { mqtt: { urls: [a], topics: [a/b] } }\noutput: { mqtt: { urls: [a], topic: ${written} } }\n`;
  assert.equal(labels(await completeIn(editor, topics("‸/own"))), ["a/b"]);
});

tests("documents are completed from the first key on", async ({ editor }) => {
  const first = async (name: string, marks: string) => {
    const { text, at } = marked(marks);
    await editor.open(name, text);
    const { items } = await editor.ask<CompletionList>("textDocument/completion", name, at);
    const found = editor.published(name);
    await editor.close(name);
    assert.equal(found ?? [], [], name);
    return labels(items);
  };
  for (const [name, text] of [
    ["new.yaml", "‸"],
    ["new.yaml", "# Orders\n---\nop‸"],
    ["new.json", '{ "‸" }'],
  ] as const) {
    const items = await first(name, text);
    assert.ok(
      ["openapi", "input", "tests"].every((key) => items.includes(key)),
      `${name} ${items}`,
    );
  }
  assert.equal(await first("new_test.yaml", "‸"), ["tests"]);
  assert.equal(await first("new.yaml", "kind: Pod\n‸"), []);
});

tests("the settings of a set are completed from the first key on", async ({ editor }) => {
  for (const text of ["‸", "streaming: { enabled: true }\n‸", "{‸}"]) {
    const { text: whole, at } = marked(text);
    await editor.open("first/gateway.yaml", whole);
    const { items } = await editor.ask<CompletionList>("textDocument/completion", "first/gateway.yaml", at);
    await editor.close("first/gateway.yaml");
    includes(items, "apis", "policies");
    excludes(items, "openapi", "input");
  }
});

tests("a component without fields is complete as it is proposed", async ({ editor }) => {
  const items = await completeIn(editor, "input: { stdin: {} }\noutput:\n  ‸\n");
  assert.is(items.find(({ label }) => label === "drop")?.insertText, "drop: {}");
});

tests("an editor without snippets gets text up to the first stop", async () => {
  const editor = await startEditor({}, {});
  try {
    const components = await completeIn(editor, "input: { stdin: {} }\noutput:\n  ‸\n");
    const inserted = (items: readonly CompletionItem[], name: string) =>
      items.find(({ label }) => label === name)?.insertText;
    assert.is(inserted(components, "drop"), "drop: {}");
    assert.is(inserted(components, "kafka"), "kafka:");
    const methods = await completeIn(editor, document('          - mapping: root = "a".‸'));
    assert.is(inserted(methods, "uppercase"), "uppercase()");
    assert.is(inserted(methods, "has_prefix"), "has_prefix(");
    const statements = await completeIn(editor, document("          - mapping: |\n              ‸"));
    assert.is(inserted(statements, "let"), "let ");
    for (const item of [...components, ...methods, ...statements]) {
      assert.is(item.insertTextFormat, undefined, item.label);
      assert.not.match(item.insertText ?? item.label, /\$\{?\d|\n/);
    }
  } finally {
    await editor.stop();
  }
});

tests("JSON is completed as YAML is", async ({ editor }) => {
  const text =
    '{ "input": { "generate": { "mapping": "root.a = {\\"b\\": 1}" } }, "pipeline": { "processors": [ { "mapping": "root.c = this.a.‸" } ] }, "output": { "drop": {} } }';
  includes(await completeIn(editor, text, "json"), "b");
  includes(await completeIn(editor, '{ "input": { ‸ }, "output": { "drop": {} } }', "json"), "kafka");
});

tests("hovers show types, origins and failures", async ({ editor }) => {
  const field = await hoverIn(editor, mapping("root.a = this.sta‸te"));
  assert.match(field, 'state: "open" | "paid"');
  assert.match(field, /Declared in `hover-\d+\.yaml`, line 20/);
  assert.match(await hoverIn(editor, mapping("root.a = this.id.upper‸case()")), "uppercase");
  assert.match(await hoverIn(editor, mapping("root.a = this.id.parse_js‸on()")), "May fail");
  assert.match(await hoverIn(editor, mapping("let to‸tal = this.items")), /\$total: \{ price\?: number/);
  assert.match(await hoverIn(editor, mapping("root = this").replace("drop: {}", "dr‸op: {}")), "output");
  assert.match(
    await hoverIn(editor, mapping("root = this").replace("{ path: /new }", "{ pa‸th: /new }")),
    "path",
  );
  assert.match(
    await hoverIn(editor, mapping("root = this").replace("{ path: /new }", "{ path: /n‸ew }")),
    "POST /orders/new",
  );
});

tests("the hover of a route says who may call it", async ({ editor }) => {
  const route = mapping("root = this").replace(
    "{ path: /new }",
    "{ path: /n‸ew, allowed_verbs: [POST, PUT] }",
  );
  assert.match(await hoverIn(editor, route), /POST, PUT \/orders\/new\n```\n\nAnyone may call it\.$/);
  const guarded = (security: string) =>
    route
      .replace(
        "components:",
        "components:\n  securitySchemes:\n    key: { type: apiKey, in: header, name: X }",
      )
      .replace("paths:", `security: ${security}\npaths:`);
  assert.match(await hoverIn(editor, guarded("[{ key: [] }]")), /Callers authenticate by `key`\.$/);
  const open = guarded("[{ key: [] }]").replace("    post:", "    post:\n      security: []");
  assert.match(
    await hoverIn(editor, open),
    /POST: Anyone may call it\.\n\nPUT: Callers authenticate by `key`\./,
  );
});

tests("hovers describe fields in the words of the reference", async ({ editor }) => {
  const kafka = mapping("root = this").replace("drop: {}", "kafka: { addre‸sses: [a], topic: b }");
  const hover = await hoverIn(editor, kafka);
  const reference = referenceOf("kafka", coreDialect);
  const [, type = "none"] = /\| `addresses` \| ([^|]+) \|/.exec(reference) ?? [];
  assert.match(hover, `**\`addresses\`** ${type}\n`);
});

tests("calls show their parameters while they are written", async ({ editor }) => {
  const { text, at } = marked(mapping('root.a = this.id.replace_all("a", ‸'));
  await editor.open("call.yaml", text);
  const help = await editor.ask<SignatureHelp>("textDocument/signatureHelp", "call.yaml", at);
  assert.match(help.signatures[0]?.label ?? "", "replace_all(");
  assert.is(help.activeParameter, 1);
  await editor.close("call.yaml");
  const script = 'root.a = this.id.replace_all("a,(", ‸';
  const quoted = document(`          - mapping: ${JSON.stringify(script)}`);
  const json = JSON.stringify({ pipeline: { processors: [{ mapping: script }] } });
  for (const [name, given, active] of [
    ["call.yaml", quoted, 1],
    ["call.json", json, 1],
    ["call.blobl", "root.a = random_int(min: 1, ‸", 0],
    ["call.blobl", "root.a = random_int(seed: 1, min: 1, ‸", 2],
    ["call.blobl", "root.a = random_int(max: ‸", 2],
  ] as const) {
    const call = marked(given);
    await editor.open(name, call.text);
    const found = await editor.ask<SignatureHelp>("textDocument/signatureHelp", name, call.at);
    assert.is(found.activeParameter, active, given);
  }
});

tests.run();
