// Files of unit tests in an editor, and names of files in all places of documents that contain them.

import * as assert from "uvu/assert";
import type { CompletionItem, CompletionList, DocumentSymbol, Hover } from "vscode-languageserver-protocol";
import { applied, type Editor, editorSuite, marked } from "./client.ts";

const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    intake:
      input: { nats: { urls: [nats://localhost:4222], subject: orders } }
      pipeline:
        processors:
          - label: price
            mapping: |
              root.total = 12
              root.state = "open"
      output: { drop: {} }
x-tests:
  - name: own
    input_batch: [{ content: "{}" }]
    output_batches: [[{ bloblang: this.totl == 12, json_equal: {} }]]
`;

const tests = editorSuite("unit tests with an editor", {
  "gateway.yaml": "apis: [apis/orders.yaml]\n",
  "apis/orders.yaml": document,
  "apis/orders.blobl": "root = this\n",
  "apis/parts/order.yaml": "components: { schemas: { Order: { type: object } } }\n",
  "apis/parts/maps.blobl": "map one { root = this }\n",
  "data/order.json": "{}\n",
});

const codes = (found: readonly { readonly code?: unknown; readonly range: { readonly start: object } }[]) =>
  found.map(({ code, range: { start } }) => [code, ...Object.values(start)].join(" "));

tests("what `sluice test` refuses is said while the test is written", async ({ editor }) => {
  await editor.open(
    "apis/orders_test.yaml",
    `tests:
  - name: misspelt
    target_processors: /pipeline/procesors
    input_batch: [{ contnt: a }, { file_content: ../data/ordr.json }]
    output_batches: [[{ bloblang: 'this.upercase()' }]]
  - name: mocked
    mocks:
      prize: root = 1
    output_batches: []
  - name: mistaken mock
    mocks:
      price: { maping: root = 1 }
  - name: right
    target_processors: price
    input_batch: [{ content: "{}" }]
    output_batches: [[{ content_equals: "{}", bloblang: this.total == 12 }]]
`,
  );
  assert.equal(codes(await editor.diagnose("apis/orders_test.yaml")), [
    "GW1030 2 23",
    "GW4010 3 20",
    "GW1001 3 49",
    "GW3004 4 40",
    "GW1030 7 6",
    "GW4001 11 15",
  ]);
  // The document itself may contain tests.
  await editor.open("apis/orders.yaml", document);
  const own = await editor.diagnose("apis/orders.yaml");
  assert.equal(codes(own), ["GW4010 17 51"]);
  await editor.edit(
    "apis/orders.yaml",
    document.indexOf("json_equal"),
    document.indexOf(": {} }]]"),
    "json_equals",
  );
  assert.equal(await editor.diagnose("apis/orders.yaml"), []);
});

tests(
  "tests that are no list, and those of a document that is not there, are mistakes",
  async ({ editor }) => {
    await editor.open("apis/nothing_test.yaml", "tests: { name: a }\n");
    assert.equal(codes(await editor.diagnose("apis/nothing_test.yaml")), ["GW4012 0 7"]);
    await editor.open("apis/nothing_test.yaml", "tests:\n  - name: a\n    output_batches: []\n");
    assert.equal(codes(await editor.diagnose("apis/nothing_test.yaml")), ["GW1001 1 4"]);
    await editor.close("apis/nothing_test.yaml");
  },
);

tests("what tests expect is held against the types of the messages", async ({ editor }) => {
  const [name, file] = ["apis/typed.yaml", "apis/typed_test.yaml"];
  await editor.open(
    name,
    `openapi: 3.1.0
info: { title: Typed, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    typed:
      input:
        nats: { urls: [nats://localhost:4222], subject: typed }
        schema:
          type: object
          required: [id, lines]
          additionalProperties: false
          properties:
            id: { type: string }
            lines: { type: array, items: { type: number } }
      pipeline:
        processors:
          - mapping: |
              root.id = this.id
              root.total = this.lines.sum()
              root.all = this.lines
              meta level = if root.total > 10 { "high" } else { "low" }
      output: { drop: {} }
`,
  );
  const withCase = (input: string, ...expected: string[]) =>
    ["  - name: case", `    input_batch: [{ json_content: ${input} }]`, "    output_batches:"]
      .concat(`      - - ${expected.join("\n          ")}`)
      .join("\n");
  const input = "{ id: a, lines: [1] }";
  const cases = [
    withCase(
      input,
      "json_equals: { id: a, total: 1, all: [1] }",
      "metadata_equals: { level: low, other: 1 }",
    ),
    withCase(input, "json_equals: { id: a, totl: 1, all: [1] }"),
    withCase(input, 'json_equals: { id: a, total: "1", all: [x] }'),
    withCase(input, "json_equals: { id: a, total: 1 }"),
    withCase(input, "json_contains: { id: a }", "metadata_equals: { levl: low }"),
    withCase(input, "metadata_equals: { level: hihg }", "bloblang: this.totl == 1"),
    withCase(input, "bloblang: this.total"),
    withCase(input, 'content_matches: "a("'),
    // A failed message keeps its type, and an undeclared one may be anything.
    withCase(input, "json_equals: { id: a, lines: [1] }", "bloblang: this.lines.length() == 1 || errored()"),
    withCase("{ id: a }", "json_equals: { anything: 1 }"),
  ];
  await editor.open(file, `tests:\n${cases.join("\n")}\n`);
  assert.equal(codes(await editor.diagnose(file)), [
    "GW4010 9 32",
    "GW4012 13 40",
    "GW4012 13 50",
    "GW4011 17 10",
    "GW4010 22 29",
    "GW4013 26 36",
    "GW3100 27 25",
    "GW3111 31 20",
    "GW4015 35 28",
  ]);
});

tests("a test follows changes of what it is about", async ({ editor }) => {
  const text = editor.textOf("apis/orders.yaml");
  const at = text.indexOf("label: price") + "label: ".length;
  await editor.edit("apis/orders.yaml", at, at + "price".length, "prize");
  const found = await editor.until("apis/orders_test.yaml", (all) => codes(all).includes("GW1030 13 23"));
  assert.equal(
    codes(found).filter((code) => code.startsWith("GW1030")),
    ["GW1030 2 23", "GW1030 11 6", "GW1030 13 23"],
  );
  await editor.edit("apis/orders.yaml", at, at + "prize".length, "price");
  await editor.until("apis/orders_test.yaml", (all) => !codes(all).includes("GW1030 13 23"));
});

/** Resolves with the completion items for the position of `‸` in a document, by their labels. */
async function complete(editor: Editor, name: string, written: string) {
  const { text, at } = marked(written);
  await editor.open(name, text);
  const { items } = await editor.ask<CompletionList>("textDocument/completion", name, at);
  return {
    items,
    labels: items.map(({ label }) => label),
    /** Returns the text after an item was accepted. */
    chosen(label: string): string {
      const item: CompletionItem | undefined = items.find((each) => each.label === label);
      assert.ok(
        item?.textEdit && "range" in item.textEdit,
        `${label} among ${items.map((each) => each.label)}`,
      );
      return applied(text, [item.textEdit]).replace(/\$(?:0|\{\d:?[^}]*\}|\d)/g, "");
    },
  };
}

tests("fields, targets, mocks and messages are completed", async ({ editor }) => {
  const name = "apis/orders_test.yaml";
  const keys = await complete(editor, name, "tests:\n  - name: a\n    ‸\n");
  assert.ok(["target_processors", "mocks", "input_batch"].every((key) => keys.labels.includes(key)));
  assert.not.ok(keys.labels.includes("name"));
  const conditions = await complete(editor, name, "tests:\n  - output_batches: [[{ ‸ }]]\n");
  assert.ok(conditions.labels.includes("json_contains"));
  const target = await complete(editor, name, "tests:\n  - target_processors: ‸\n");
  assert.ok(["price", "orders.yaml#"].every((label) => target.labels.includes(label)));
  assert.not.ok(target.labels.includes("/pipeline/processors"), "the document has none");
  assert.not.ok(target.labels.some((label) => /gateway|_test/.test(label)));
  assert.is(
    target.chosen("/x-gw-streaming/streams/intake/pipeline/processors/0"),
    "tests:\n  - target_processors: /x-gw-streaming/streams/intake/pipeline/processors/0\n",
  );
  const elsewhere = await complete(editor, name, 'tests:\n  - target_processors: "orders.yaml#‸"\n');
  assert.is(elsewhere.chosen("orders.yaml#price"), 'tests:\n  - target_processors: "orders.yaml#price"\n');
  const mocks = await complete(editor, name, "tests:\n  - mocks:\n      p‸\n");
  assert.is(mocks.chosen("price").trimEnd(), "tests:\n  - mocks:\n      price:");
  const mock = await complete(editor, name, "tests:\n  - mocks:\n      price:\n        mapp‸\n");
  assert.ok(mock.labels.includes("mapping"));
  const fields = await complete(
    editor,
    name,
    "tests:\n  - target_processors: price\n    output_batches:\n      - - bloblang: this.‸\n",
  );
  assert.ok(["total", "state", "without"].every((label) => fields.labels.includes(label)));
});

tests("hovers and outline know the fields and cases", async ({ editor }) => {
  const name = "apis/orders_test.yaml";
  const text =
    "tests:\n  - name: first\n    target_processors: price\n    output_batches: [[{ bloblang: this.total == 12 }]]\n  - target_mapping: orders.blobl\n";
  await editor.open(name, text);
  assert.equal(await editor.diagnose(name), []);
  const hover = await editor.ask<Hover>("textDocument/hover", name, text.indexOf("target_proc") + 2);
  assert.match(JSON.stringify(hover.contents), /JSON pointer/);
  const total = await editor.ask<Hover>("textDocument/hover", name, text.indexOf("total") + 1);
  assert.match(JSON.stringify(total.contents), /total: 12/);
  const [outline] = await editor.ask<DocumentSymbol[]>("textDocument/documentSymbol", name);
  assert.equal(
    outline?.children?.map((each) => [each.name, each.detail]),
    [
      ["first", "price"],
      ["test 2", "orders.blobl"],
    ],
  );
});

tests("files that exist are offered where documents name some", async ({ editor }) => {
  const test = await complete(
    editor,
    "apis/orders_test.yaml",
    "tests:\n  - input_batch: [{ file_content: ‸ }]\n",
  );
  assert.ok(test.labels.includes("../data/order.json"));
  const mapping = await complete(editor, "apis/orders_test.yaml", "tests:\n  - target_mapping: ‸\n");
  assert.equal([...mapping.labels].toSorted(), ["orders.blobl", "parts/maps.blobl"]);
  await editor.close("apis/orders_test.yaml");
  const apis = await complete(editor, "gateway.yaml", "apis: [‸]\n");
  assert.ok(apis.labels.includes("apis/parts/order.yaml"));
  assert.not.ok(apis.labels.some((label) => label.includes("..") || label === "gateway.yaml"));
  const listed = await complete(
    editor,
    "gateway.yaml",
    "apis:\n  - apis/or‸\nstreaming: { enabled: true }\n",
  );
  assert.is(listed.chosen("apis/orders.yaml"), "apis:\n  - apis/orders.yaml\nstreaming: { enabled: true }\n");
  const outline = await editor.ask<DocumentSymbol[]>("textDocument/documentSymbol", "gateway.yaml");
  assert.equal(
    outline.map((each) => [each.name, ...(each.children ?? []).map((child) => child.name)]),
    [
      ["apis", "apis/or"],
      ["streaming", "enabled"],
    ],
  );
  await editor.close("gateway.yaml");
  const imported = await complete(editor, "apis/parts/more.blobl", 'import "‸"\nroot = this\n');
  assert.is(imported.chosen("./maps.blobl"), 'import "./maps.blobl"\nroot = this\n');
  assert.ok(imported.labels.includes("../orders.blobl"));
  const reference = (text: string) =>
    document.replace("paths: {}", `paths: {}\ncomponents: { schemas: { A: { $ref: ${text} } } }`);
  const file = await complete(editor, "apis/orders.yaml", reference("‸"));
  assert.is(file.chosen("parts/order.yaml"), reference("parts/order.yaml"));
  const place = await complete(editor, "apis/orders.yaml", reference('"parts/order.yaml#‸"'));
  assert.equal(place.labels, ["parts/order.yaml#/components/schemas/Order"]);
});

tests.run();
