import * as assert from "uvu/assert";
import type {
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  SemanticTokens,
  SemanticTokensDelta,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { applied, editorSuite, editsOf } from "./client.ts";

const tests = editorSuite("files beside a document");

tests("a test leads to the label that it targets", async ({ editor }) => {
  const document = `input: { generate: { mapping: root.id = 1, interval: 1s } }
pipeline: { processors: [{ label: shape, mapping: root = this }] }
output: { drop: {} }
`;
  const unitTests = `tests:
  - target_processors: shape
    input_batch: [{ json_content: {} }]
    output_batches: [[{ bloblang: "true" }]]
`;
  await editor.write({ "lead.yaml": document, "lead_test.yaml": unitTests });
  await editor.open("lead_test.yaml", unitTests);
  const at = unitTests.indexOf("shape") + 2;
  const context = { includeDeclaration: true };
  const ask = async (method: string) => editor.ask<Location[]>(method, "lead_test.yaml", at, { context });
  const [definition] = await ask("textDocument/definition");
  assert.is(definition?.uri, editor.uri("lead.yaml"));
  assert.is((await ask("textDocument/references")).length, 2);
  assert.is((await ask("textDocument/documentHighlight")).length, 1);
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", "lead_test.yaml", at, {
    newName: "form",
  });
  assert.is(applied(document, editsOf(edit, editor.uri("lead.yaml"))), document.replace("shape", "form"));
  assert.is(
    applied(unitTests, editsOf(edit, editor.uri("lead_test.yaml"))),
    unitTests.replace("shape", "form"),
  );
  await editor.close("lead_test.yaml");
  await editor.remove("lead.yaml");
  await editor.remove("lead_test.yaml");
});

tests("unit tests follow what they target and mock", async ({ editor }) => {
  const document = (stream: string, label: string) => `openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    ${stream}:
      input: { generate: { mapping: root.id = 1, interval: 1s } }
      pipeline: { processors: [{ label: ${label}, mapping: root = this }] }
      output: { drop: {} }
    other:
      input: { generate: { mapping: root.id = 1, interval: 1s } }
      pipeline: { processors: [{ label: other, mapping: root = this }] }
      output: { drop: {} }
x-tests:
  - target_processors: "${label}"
    input_batch: [{ content: "${label}" }]
`;
  const beside = (stream: string, label: string) =>
    `tests:
  - name: ${label}
    target_processors: '/x-gw-streaming/streams/${stream}/pipeline/processors'
    mocks: { ${label}: root = 1, "/x-gw-streaming/streams/${stream}/pipeline/processors/0": root = 2 }
  - target_processors: other
`.replace(`name: ${label}`, "name: intake shout");
  const elsewhere = (label: string) => `tests:
  - target_processors: shop.yaml#${label}
  - target_processors: else.yaml#shout
`;
  const files = { "shop_test.yaml": beside("intake", "shout"), "parts/all_test.yaml": elsewhere("shout") };
  await editor.write({ ...files, "parts/all_test.yaml": elsewhere("shout").replace("shop", "../shop") });
  const before = document("intake", "shout");
  await editor.open("shop.yaml", before);
  // The text of an open test applies, whether it is saved or not.
  await editor.open("shop_test.yaml", `# open\n${files["shop_test.yaml"]}`);
  const rename = async (at: number, newName: string) => {
    const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", "shop.yaml", at, { newName });
    const edited = (name: string, text: string) => applied(text, editsOf(edit, editor.uri(name)));
    assert.is(
      edited("parts/all_test.yaml", elsewhere("shout").replace("shop", "../shop")),
      elsewhere(newName === "loud" ? newName : "shout").replace("shop", "../shop"),
    );
    return [edited("shop.yaml", before), edited("shop_test.yaml", editor.textOf("shop_test.yaml"))];
  };
  const renamed = document("intake", "loud").replace('content: "loud"', 'content: "shout"');
  assert.equal(await rename(before.indexOf("label: shout") + 8, "loud"), [
    renamed,
    `# open\n${beside("intake", "loud")}`,
  ]);
  assert.equal(await rename(before.indexOf("    intake:") + 6, "entry"), [
    document("entry", "shout"),
    `# open\n${beside("entry", "shout")}`,
  ]);
  await editor.close("shop_test.yaml");
  await editor.close("shop.yaml");
});

tests("a file of mappings that a set imports has what other files have", async ({ editor }) => {
  const maps = `map line {
  let s = this.sku.uppercase()
  root.sku = match $s {
    "A" => 1
    _ => 2
  }
}
`;
  const user = `input: { generate: { mapping: root.id = 1, interval: 1s } }
pipeline:
  processors:
    - mapping: |
        import "../maps/lines.blobl"
        root = this.apply("line")
output: { drop: {} }
`;
  await editor.write({ "set/gateway.yaml": "apis: [apis/user.yaml]\n", "set/apis/user.yaml": user });
  const name = "set/maps/lines.blobl";
  await editor.write({ [name]: maps });
  await editor.open(name, maps);
  const hover = await editor.ask<Hover>("textDocument/hover", name, maps.indexOf("uppercase"));
  assert.match(JSON.stringify(hover.contents), /upper case/);
  const symbols = await editor.ask<DocumentSymbol[]>("textDocument/documentSymbol", name);
  assert.equal(
    symbols.map((symbol) => symbol.name),
    ["line"],
  );
  const { data } = await editor.ask<SemanticTokens>("textDocument/semanticTokens/full", name);
  assert.ok(data.length > 20);
  const folds = await editor.ask<FoldingRange[]>("textDocument/foldingRange", name);
  assert.equal(
    folds.map(({ startLine, endLine }) => [startLine, endLine]),
    [
      [0, 5],
      [2, 4],
    ],
  );
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", name, 5, { newName: "row" });
  assert.is(applied(maps, editsOf(edit, editor.uri(name))), maps.replace("map line", "map row"));
  assert.is(applied(user, editsOf(edit, editor.uri("set/apis/user.yaml"))), user.replace('"line"', '"row"'));
  await editor.edit(name, maps.indexOf("  root"), maps.indexOf("  root"), "   ");
  const edits = await editor.ask<TextEdit[]>("textDocument/formatting", name, undefined, { options: {} });
  assert.is(applied(editor.textOf(name), edits), maps);
  await editor.close(name);
});

const stream = (mapping: string) => `input: { generate: { mapping: root.id = 1, interval: 1s } }
pipeline:
  processors:
    - mapping: ${mapping}
output: { drop: {} }
`;

const api = (path: string, reference: string) => `openapi: 3.1.0
info: { title: ${path}, version: 1.0.0 }
servers: [{ url: /${path} }]
paths:
  /new:
    post:
      requestBody: { content: { application/json: { schema: { $ref: ${reference} } } } }
      responses: { "200": { description: Taken } }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /new } }
      pipeline: { processors: [{ mapping: root = this.id }] }
      output: { drop: {} }
`;

/** Files that refer to each other, inside and outside sets, with every kind of quotes. */
const named = {
  "all/maps/base.blobl": "map shout {\n  root = this.uppercase()\n}\n",
  "all/maps/line.blobl": 'import "./base.blobl"\nmap line {\n  root.sku = this.sku.apply("shout")\n}\n',
  "all/block.yaml": stream('|\n        import "./maps/line.blobl"\n        root = this.apply("line")'),
  "all/double.yaml": stream(
    '"import \\"maps/line.blobl\\"\\nroot = this.apply(\\"line\\").apply(\\"shout\\")"',
  ),
  "all/single.yaml": stream(`'import "maps/line.blobl"\n\n        root = this.apply("line")'`),
  "all/set/gateway.yaml": 'streaming: { enabled: true }\napis: [apis/o.yaml, "./apis/p.yaml"]\n',
  "all/set/apis/o.yaml": api("o", '"./parts/s.yaml#/components/schemas/Order"'),
  "all/set/apis/p.yaml": api("p", "parts/s.yaml#/components/schemas/Order"),
  "all/set/apis/parts/s.yaml":
    "components:\n  schemas:\n    Order: { type: object, properties: { id: { type: string } } }\n",
  "all/set/all_test.yaml": `tests:
  - target_processors: apis/o.yaml#/x-gw-streaming/streams/intake/pipeline/processors
    input_batch: [{ json_content: { id: a } }]
    output_batches: [[{ json_equals: a }]]
`,
};

type NamedFiles = keyof typeof named;

tests("a map is found and renamed in all documents that import it, open or not", async ({ editor }) => {
  await editor.write(named);
  const name = "all/maps/base.blobl";
  await editor.open(name, named[name]);
  const at = named[name].indexOf("shout") + 1;
  const context = { includeDeclaration: true };
  const found = await editor.ask<Location[]>("textDocument/references", name, at, { context });
  const places = found.map(({ uri }) => uri.slice(uri.indexOf("all/"))).sort();
  assert.equal(places, ["all/double.yaml", "all/maps/base.blobl", "all/maps/line.blobl"]);
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", name, at, { newName: "loud" });
  for (const file of ["all/double.yaml", name, "all/maps/line.blobl"] as const)
    assert.is(
      applied(named[file], editsOf(edit, editor.uri(file))),
      named[file].replace(/(?<=map |")shout/, "loud").replace(/(?<=\\")shout/, "loud"),
    );
  await editor.close(name);
});

tests("the name of a file, and its beginning, lead to all that names it", async ({ editor }) => {
  const uses = async (name: NamedFiles, part?: string) => {
    await editor.open(name, named[name]);
    const at = part === undefined ? 0 : named[name].indexOf(part) + 1;
    const context = { includeDeclaration: false };
    const found = await editor.ask<Location[]>("textDocument/references", name, at, { context });
    await editor.close(name);
    return found.map(({ uri }) => uri.slice(uri.indexOf("all/") + 4)).sort();
  };
  const importers = ["block.yaml", "double.yaml", "single.yaml"];
  assert.equal(await uses("all/maps/line.blobl"), importers);
  assert.equal(await uses("all/block.yaml", "maps/line"), importers);
  const ofApi = ["set/all_test.yaml", "set/gateway.yaml"];
  assert.equal(await uses("all/set/apis/o.yaml"), ofApi);
  assert.equal(await uses("all/set/gateway.yaml", "apis/o"), ofApi);
  assert.equal(await uses("all/set/apis/parts/s.yaml"), ["set/apis/o.yaml", "set/apis/p.yaml"]);
});

tests("each place that names a file, or what is in it, says the same of it", async ({ editor }) => {
  const files = {
    "begin/base.blobl": "name = this.first\n",
    "begin/s.yaml": `input: { generate: { mapping: 'root.first = "a"', interval: 1s } }
pipeline:
  processors:
    - mapping: from "./base.blobl"
    - mapping: root.x = this.name
output: { drop: {} }
`,
    "begin/api.yaml": api("begin", '"./parts.yaml#/components/schemas/Order"'),
    "begin/parts.yaml": named["all/set/apis/parts/s.yaml"],
  };
  for (const [name, text] of Object.entries(files)) await editor.open(name, text);
  const ask = async (method: string, name: string, at: number | Location["range"]["start"]) => {
    const context = { includeDeclaration: true };
    const found = await editor.ask<Location[]>(`textDocument/${method}`, name, at, { context });
    return found.map((each) => JSON.stringify(each)).toSorted();
  };
  const places = [
    ["begin/s.yaml", "base.blobl"],
    ["begin/s.yaml", "name"],
    ["begin/api.yaml", "parts.yaml"],
    ["begin/api.yaml", "Order"],
    ["begin/api.yaml", "components/schemas"],
  ] as const;
  for (const [name, word] of places) {
    const at = files[name].indexOf(word) + 1;
    const found = await ask("references", name, at);
    const definition = await ask("definition", name, at);
    assert.is(definition.length, 1, word);
    assert.ok(found.length > 0, word);
    for (const { uri, range } of found.map((each): Location => JSON.parse(each))) {
      const other = uri.slice(uri.indexOf("begin/"));
      assert.equal(await ask("references", other, range.start), found, word);
      assert.equal(await ask("definition", other, range.start), definition, word);
    }
  }
  for (const name of Object.keys(files)) await editor.close(name);
});

tests("fields that only an importer reads lead back from where they are declared", async ({ editor }) => {
  const maps = "map person {\n  root.name = this.first\n}\n";
  const user =
    'import "./people.blobl"\nlet who = this.who.apply("person")\nroot.text = $who.name\nroot.other = $who.name\n';
  await editor.open("field/people.blobl", maps);
  await editor.open("field/user.blobl", user);
  const ask = (method: string, name: string, at: number) =>
    editor.ask<Location[]>(`textDocument/${method}`, name, at, { context: { includeDeclaration: true } });
  const use = user.indexOf("$who.name") + 6;
  const declared = maps.indexOf("name");
  const [definition] = await ask("definition", "field/user.blobl", use);
  assert.equal(definition?.uri, editor.uri("field/people.blobl"));
  assert.equal(await ask("definition", "field/people.blobl", declared), [definition]);
  const places = await ask("references", "field/user.blobl", use);
  assert.is(places.length, 3);
  const back = await ask("references", "field/people.blobl", declared);
  const sorted = (found: readonly Location[]) => found.map((each) => JSON.stringify(each)).toSorted();
  assert.equal(sorted(back), sorted(places));
  // Also on the quotes of a path.
  for (const at of [user.indexOf('"./'), user.indexOf('.blobl"') + 7]) {
    assert.is((await ask("definition", "field/user.blobl", at)).length, 1);
    assert.is((await ask("references", "field/user.blobl", at)).length, 2);
  }
});

tests("files that are there are what names of files lead to", async ({ editor }) => {
  const text = `input: { file: { paths: [./there.json] } }
output: { file: { path: ./written-later.json } }
`;
  await editor.write({ "paths/there.json": "{}" });
  await editor.open("paths/stream.yaml", text);
  const found = (at: string) =>
    editor.ask<Location[]>("textDocument/definition", "paths/stream.yaml", text.indexOf(at));
  assert.equal(
    (await found("there")).map(({ uri }) => uri),
    [editor.uri("paths/there.json")],
  );
  assert.equal(await found("written"), []);
  const references = await editor.ask<Location[]>(
    "textDocument/references",
    "paths/stream.yaml",
    text.indexOf("written"),
    { context: { includeDeclaration: true } },
  );
  assert.equal(
    references.map(({ uri }) => uri),
    [editor.uri("paths/stream.yaml")],
  );
  await editor.close("paths/stream.yaml");
});

tests("what names a file follows it, and so does what it names", async ({ editor }) => {
  const rename = async (from: string, to: string) => {
    const files = [{ oldUri: editor.uri(`all/${from}`), newUri: editor.uri(`all/${to}`) }];
    const edit = await editor.request<WorkspaceEdit | null>("workspace/willRenameFiles", { files });
    const changed = Object.entries(named).flatMap(([file, text]) => {
      const after = applied(text, editsOf(edit, editor.uri(file))).split("\n");
      return text.split("\n").flatMap((line, index) => (after[index] === line ? [] : [after[index]?.trim()]));
    });
    return changed;
  };
  assert.equal(await rename("maps", "my maps/deep"), [
    'import "./my maps/deep/line.blobl"',
    '- mapping: "import \\"my maps/deep/line.blobl\\"\\nroot = this.apply(\\"line\\").apply(\\"shout\\")"',
    `- mapping: 'import "my maps/deep/line.blobl"`,
  ]);
  const schema = (reference: string) =>
    `requestBody: { content: { application/json: { schema: { $ref: ${reference} } } } }`;
  assert.equal(await rename("set/apis/parts/s.yaml", "set/shared/t u.yaml"), [
    schema('"../shared/t%20u.yaml#/components/schemas/Order"'),
    schema("../shared/t%20u.yaml#/components/schemas/Order"),
  ]);
  assert.equal(await rename("set/apis/o.yaml", "set/o: 1.yaml"), [
    'apis: ["o: 1.yaml", "./apis/p.yaml"]',
    schema('"./apis/parts/s.yaml#/components/schemas/Order"'),
    '- target_processors: "o: 1.yaml#/x-gw-streaming/streams/intake/pipeline/processors"',
  ]);
  assert.equal(await rename("set/apis/parts/none.yaml", "set/other.yaml"), []);
  await editor.remove("all");
});

tests("only changed tokens are sent", async ({ editor }) => {
  const textDocument = { uri: editor.uri("coloured.yaml") };
  const tokens = (kind: string, more: object = {}) =>
    editor.request<Partial<SemanticTokens & SemanticTokensDelta>>(`textDocument/semanticTokens/${kind}`, {
      ...{ textDocument, ...more },
    });
  const text =
    "input:\n  generate:\n    mapping: |\n      let name = 1\n      root = $name\noutput: { drop: {} }\n";
  await editor.open("coloured.yaml", text);
  const before = await tokens("full");
  const { edits: none, resultId } = await tokens("full/delta", { previousResultId: before.resultId });
  const at = text.indexOf("let name");
  await editor.edit("coloured.yaml", at, at, "let more = 1 + 2\n      ");
  const { edits = [] } = await tokens("full/delta", { previousResultId: resultId });
  const data = [...(before.data ?? [])];
  for (const edit of edits) data.splice(edit.start, edit.deleteCount, ...(edit.data ?? []));
  assert.equal(data, (await tokens("full")).data);
  assert.equal([none, edits.length, (edits[0]?.data?.length ?? 0) < 40], [[], 1, true]);
  assert.ok((await tokens("full/delta", { previousResultId: "unknown" })).data);
  const start = TextDocument.create("", "", 0, text).positionAt(at);
  const { data: part } = await tokens("range", { range: { start, end: { ...start, character: 99 } } });
  assert.is(part?.length, 4 * 5, "`let`, `more` and two numbers");
  await editor.close("coloured.yaml");
});

tests.run();
