import * as assert from "uvu/assert";
import {
  type CompletionList,
  type Hover,
  InsertTextFormat,
  type Location,
  type MarkupContent,
  type TextEdit,
} from "vscode-languageserver-protocol";
import { applied, type Editor, editorSuite, editsOf, marked } from "./client.ts";

const tests = editorSuite("what completion writes, and where", {
  "base.blobl": "root = this\n",
  "other.yaml": "components: { schemas: { Order: { type: object } } }\n",
});

const yaml = (
  processor: string,
  output = "drop: {}",
  reference = '"#/components/schemas/Order"',
) => `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
x-broker: &broker
  addresses: ["localhost:9092"]
paths:
  /new:
    post:
      requestBody:
        content: { application/json: { schema: { $ref: ${reference} } } }
      responses: { "200": { description: Taken } }
components:
  schemas:
    Order:
      type: object
      properties:
        id: { type: string }
        e-mail: { type: string }
        items: { type: array, items: { type: object, properties: { price: { type: number } } } }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /new } }
      pipeline:
        processors:
          - ${processor}
      output:
        ${output}
`;

const block = (line: string) => yaml(`mapping: |\n              ${line}`);

/** Returns a document with an operation that an endpoint of an output serves. */
const consumed = (output: string) =>
  yaml("mapping: root = this", output).replace("  /new:\n    post:", "  /new/{id}:\n    get:");

const json = (key: string) =>
  `{ "input": { "generate": { "mapping": "root.a = 1" } }, "output": { "kafka": { "addresses": ["a:1"], ${key} } } }`;

let opened = 0;

/** Resolves with the text after an item was accepted; placeholders of snippets are empty. */
async function choose(editor: Editor, text: string, label: string, extension = "yaml"): Promise<string> {
  const name = `choose-${opened++}.${extension}`;
  const { text: whole, at } = marked(text);
  await editor.open(name, whole);
  const { items } = await editor.ask<CompletionList>("textDocument/completion", name, at);
  const item = items.find((each) => each.label === label);
  assert.ok(item, `${label} is not among ${items.map((each) => each.label)}`);
  const { range, newText } = item.textEdit as TextEdit;
  const plain =
    item.insertTextFormat === InsertTextFormat.Snippet ? newText.replace(/\$\{?\d.*$/s, "") : newText;
  // Editors indent further lines like the line of the insertion.
  const indent = /^ */.exec(whole.split("\n")[range.start.line] ?? "")?.[0] ?? "";
  const edited = applied(whole, [{ range, newText: plain.replaceAll("\n", `\n${indent}`) }]);
  await editor.close(name);
  return edited;
}

const chosen: readonly (readonly [string, string, string, string?])[] = [
  // References, in existing quotes or with new ones.
  [
    yaml("mapping: root = this", "drop: {}", '"#/comp‸"'),
    "#/components/schemas/Order",
    yaml("mapping: root = this"),
  ],
  [
    yaml("mapping: root = this", "drop: {}", "'#/comp‸'"),
    "#/components/schemas/Order",
    yaml("mapping: root = this", "drop: {}", "'#/components/schemas/Order'"),
  ],
  [yaml("mapping: root = this", "drop: {}", "‸"), "#/components/schemas/Order", yaml("mapping: root = this")],
  // Names of a mapping that contain special characters.
  [block("root.a = this.e‸"), "e-mail", block('root.a = this."e-mail"')],
  [block('root.a = this."e-‸"'), "e-mail", block('root.a = this."e-mail"')],
  [yaml(`mapping: 'root.a = this."e-‸"'`), "e-mail", yaml(`mapping: 'root.a = this."e-mail"'`)],
  [yaml('mapping: "root.a = this.‸"'), "e-mail", yaml('mapping: "root.a = this.\\"e-mail\\""')],
  [block("let a = 1\n              root.b = $‸"), "a", block("let a = 1\n              root.b = $a")],
  [block("let a = 1\n              root.b = ‸"), "$a", block("let a = 1\n              root.b = $a")],
  // Media types, in the object that lists them.
  [
    yaml("mapping: root = this").replace("application/json", "applica‸"),
    "application/json",
    yaml("mapping: root = this"),
  ],
  [
    "openapi: 3.1.0\ncomponents:\n  responses:\n    a:\n      content:\n        ‸\n",
    "text/event-stream",
    "openapi: 3.1.0\ncomponents:\n  responses:\n    a:\n      content:\n        text/event-stream:\n          \n",
  ],
  // An existing call keeps its arguments.
  [block("root.a = this.id.up‸()"), "uppercase", block("root.a = this.id.uppercase()")],
  [block("root.a = this.id.up‸"), "uppercase", block("root.a = this.id.uppercase()")],
  // A key that has a colon gets no second one.
  [yaml("map‸: root = this"), "mapping", yaml("mapping: root = this")],
  [yaml("map‸xx: root = this"), "mapping", yaml("mapping: root = this")],
  [yaml("mapping: root = this", "dr‸"), "drop", yaml("mapping: root = this", "drop: {}")],
  [json('"to‸": "a"'), "topic", json('"topic": "a"'), "json"],
  [json('"t‸":{}'), "tls", json('"tls":{}'), "json"],
  [yaml("mapping: root = this", '{ "ka‸":{} }'), "kafka", yaml("mapping: root = this", '{ "kafka":{} }')],
  // The helper cuts at the first placeholder, which is between the quotes of the value.
  [json('"to‸"'), "topic", json('"topic": "'), "json"],
  [json("‸"), "topic", json('"topic": "'), "json"],
  [json('"a": 1 ‸'), "sasl", json('"a": 1 , "sasl": { '), "json"],
  // The lines after the first key of an item begin in the column after its dash.
  [yaml("arch‸"), "archive", yaml("archive:\n              format: ")],
  [json('"topic": "a", "compression": "g‸"'), "gzip", json('"topic": "a", "compression": "gzip"'), "json"],
  // A component in a list gets brackets of its own; the helper cuts at the first placeholder.
  [
    '{ "input": ‸, "output": {} }',
    "generate",
    '{ "input": { "generate": { "mapping": ", "output": {} }',
    "json",
  ],
  ['{ "pipeline": { "processors": [‸] } }', "try", '{ "pipeline": { "processors": [{ "try": [] } }', "json"],
  [yaml("try: [‸]"), "try", yaml("try: [{ try: []")],
  // In flow style, the value of a key gets brackets; the helper cuts at the first placeholder.
  [yaml("{ lo‸ }"), "log", yaml("{ log: {  }")],
  [yaml("{ mapp‸ }"), "mapping", yaml('{ mapping: " }')],
  [
    yaml("mapping: root = this", "{ kafka: { addresses: [a], me‸ } }"),
    "metadata",
    yaml("mapping: root = this", "{ kafka: { addresses: [a], metadata: {  } }"),
  ],
  // A text that YAML would read differently gets quotes: braces are brackets of flow style.
  [consumed("http_server: { path: ‸ }"), "/new/{id}", consumed('http_server: { path: "/new/{id}" }')],
  // The text after the cursor is a part of the name.
  [block('import "./base‸.blobl"'), "./base.blobl", block('import "./base.blobl"')],
  [block('from "./b‸ase.blobl"'), "./base.blobl", block('from "./base.blobl"')],
  ['import "./b‸ase.blobl"', "./base.blobl", 'import "./base.blobl"', "blobl"],
  [block('root.a = this."e-‸mails"'), "e-mail", block('root.a = this."e-mail"')],
  [block("root.a = this.id.up‸per()"), "uppercase", block("root.a = this.id.uppercase()")],
  [block("root.a = this.id.up‸per"), "uppercase", block("root.a = this.id.uppercase()")],
  [
    yaml("mapping: root = this", "drop: {}", '"./ot‸hers.yaml#/components/schemas/Order"'),
    "./other.yaml",
    yaml("mapping: root = this", "drop: {}", '"./other.yaml#/components/schemas/Order"'),
  ],
  [
    yaml("mapping: root = this", "drop: {}", "./ot‸hers.yaml#/components/schemas/Order"),
    "./other.yaml",
    yaml("mapping: root = this", "drop: {}", "./other.yaml#/components/schemas/Order"),
  ],
  [
    yaml("mapping: root = this", "drop: {}", "'#/components/sch‸emas/Orders'"),
    "#/components/schemas/Order",
    yaml("mapping: root = this", "drop: {}", "'#/components/schemas/Order'"),
  ],
  [
    yaml("mapping: root = this", "http_client: { url: a, verb: P‸OST }"),
    "PUT",
    yaml("mapping: root = this", "http_client: { url: a, verb: PUT }"),
  ],
  [
    json('"topic": "a", "compression": "g‸zipp"'),
    "gzip",
    json('"topic": "a", "compression": "gzip"'),
    "json",
  ],
  // Values and paths.
  [
    yaml("mapping: root = this", "http_client: { url: a, verb: P‸ }"),
    "PUT",
    yaml("mapping: root = this", "http_client: { url: a, verb: PUT }"),
  ],
];

for (const [text, label, expected, extension] of chosen) {
  const line = text.split("\n").find((each) => each.includes("‸")) ?? "";
  tests(`${label} into ${line.trim()}`, async ({ editor }) => {
    assert.is(await choose(editor, text, label, extension), expected);
  });
}

tests("between quotes of a name stand fields alone", async ({ editor }) => {
  const { text, at } = marked(block('root.a = this."‸"'));
  await editor.open("quoted.yaml", text);
  const { items } = await editor.ask<CompletionList>("textDocument/completion", "quoted.yaml", at);
  assert.equal(items.map(({ label }) => label).sort(), ["e-mail", "id", "items"]);
});

const textOf = (hover: Hover | null) => (hover?.contents as MarkupContent | undefined)?.value ?? "";

tests("a hover in a script is about the word alone", async ({ editor }) => {
  const text = block('# note\n              root = this\n              root.b = if this.id == "a" { 1 }');
  await editor.open("words.yaml", text);
  const at = (word: string) =>
    editor.ask<Hover | null>("textDocument/hover", "words.yaml", text.indexOf(word) + 1);
  assert.is(await at("note"), null);
  assert.is(await at("root.b"), null);
  const root = await at("root = this\n");
  assert.match(textOf(root), /root: \{ "?id/);
  assert.is(root?.range && root.range.end.character - root.range.start.character, 4);
});

tests("a component with merged keys has its hover and its fields", async ({ editor }) => {
  const output = "kafka:\n          <<: *broker\n          topic: a";
  const text = yaml("mapping: root = this", output);
  await editor.open("merged.yaml", text);
  const hover = await editor.ask<Hover | null>(
    "textDocument/hover",
    "merged.yaml",
    text.indexOf("kafka:") + 2,
  );
  assert.match(textOf(hover), /^\*\*`kafka`\*\* output/);
  const edited = await choose(
    editor,
    yaml("mapping: root = this", output.replace("topic: a", "to‸")),
    "topic",
  );
  assert.is(edited, yaml("mapping: root = this", output.replace("topic: a", "topic: ")));
});

tests("what an anchor marks has the hovers and fields of the place of its alias", async ({ editor }) => {
  const text = yaml("try: *steps", "kafka:\n          <<: *broker\n          topic: a").replace(
    "paths:\n",
    "x-steps: &steps\n  - mapping: root = this\npaths:\n",
  );
  await editor.open("anchored.yaml", text);
  for (const [key, expected] of [
    ["addresses:", /^\*\*`addresses`\*\* list of text/],
    ["mapping:", /^\*\*`mapping`\*\* processor/],
  ] as const) {
    const hover = await editor.ask<Hover | null>(
      "textDocument/hover",
      "anchored.yaml",
      text.indexOf(key) + 2,
    );
    assert.match(textOf(hover), expected);
  }
  const field = text.replace("x-steps", "  cli‸\nx-steps");
  assert.is(await choose(editor, field, "client_id"), field.replace("cli‸", "client_id: "));
  const step = text.replace("- mapping: root = this", "- mapping: root = this\n  - dedu‸");
  assert.is(await choose(editor, step, "dedupe"), step.replace("dedu‸", "dedupe:\n      cache: "));
  const script = text.replace("root = this", "root = this.i‸");
  assert.is(await choose(editor, script, "id"), script.replace("i‸", "id"));
});

tests("parameters are named things", async ({ editor }) => {
  const text = block(
    "root.a = this.items.map_each(item -> item.price + item.price).filter(item -> item > 2)",
  );
  const name = "parameters.yaml";
  await editor.open(name, text);
  const first = text.indexOf("item ->");
  const hover = await editor.ask<Hover | null>("textDocument/hover", name, first);
  assert.match(textOf(hover), /item: \{ price\??: number/);
  const context = { includeDeclaration: true };
  const uses = await editor.ask<Location[]>("textDocument/references", name, text.indexOf("item.price"), {
    context,
  });
  assert.is(uses.length, 3);
  const edit = await editor.ask<object>("textDocument/rename", name, first, { newName: "each" });
  assert.is(
    applied(text, editsOf(edit, editor.uri(name))),
    block("root.a = this.items.map_each(each -> each.price + each.price).filter(item -> item > 2)"),
  );
});

tests("a line that is being written is what is wrong, not the next one", async ({ editor }) => {
  for (const line of ["root.a = this.items.", "root.a = this.id +", "root.a = this.items.map_each("]) {
    const text = block(`${line} # so far\n              root.b = this.id\n              let c = 1`);
    const name = `open-${opened++}.yaml`;
    await editor.open(name, text);
    const found = (await editor.diagnose(name)).filter(({ severity }) => severity === 1);
    assert.is(found.length, 1, line);
    const { line: number } = found[0]?.range.start ?? { line: 0 };
    assert.match(text.split("\n")[number] ?? "", / root\.a/);
  }
});

tests.run();
