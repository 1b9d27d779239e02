import * as assert from "uvu/assert";
import type {
  CodeLens,
  DocumentSymbol,
  FoldingRange,
  Hover,
  InlayHint,
  Location,
  SelectionRange,
  SemanticTokens,
  TextEdit,
  WorkspaceEdit,
  WorkspaceSymbol,
} from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { parse } from "yaml";
import { applied, type Editor, editorSuite, editsOf } from "./client.ts";

const text = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
servers: [{ url: /orders }]
paths:
  /new:
    post:
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
      responses: { "200": { description: Taken } }
components:
  schemas:
    Order: { type: object, properties: { id: { type: string } } }
    List: { type: array, items: { $ref: "#/components/schemas/Order" } }
x-gw-streaming:
  streams:
    intake:
      input:
        http_server: { path: /new }
      cache_resources:
        - label: seen
          memory: {}
      processor_resources:
        - label: enrich
          mapping: root.e = this.id
      pipeline:
        processors:
          - mapping: |
              map double { root = this.apply("shout") }
              map shout { root = this.uppercase() }
              let name = this.id # 😀 name
              root.name = $name.apply("double")
              root.again = $name
          - resource: enrich
          - cache: { resource: seen, operator: set, key: a, value: b }
      output:
        drop: {}
`;

const tests = editorSuite("finding one's way with an editor", {}, async (editor) => {
  await editor.open("orders.yaml", text);
});

const textAt = ({ range: { start, end } }: Pick<Location, "range">) => {
  const line = text.split("\n")[start.line] ?? "";
  return `${start.line + 1}: ${line.slice(start.character, start.line === end.line ? end.character : undefined)}`;
};

const lineOf = (part: string, from = 0) => text.slice(0, text.indexOf(part, from)).split("\n").length;

tests("names lead to their declaration", async ({ editor }) => {
  const define = async (part: string, inside = 1) => {
    const at = text.indexOf(part) + inside;
    const found = await editor.ask<Location[]>("textDocument/definition", "orders.yaml", at);
    return found.map(textAt);
  };
  assert.equal(await define("$name.apply", 2), [`${lineOf("let name")}: name`]);
  assert.equal(await define('apply("double")', 8), [`${lineOf("map double")}: double`]);
  assert.equal(await define("resource: enrich", 12), [`${lineOf("label: enrich")}: enrich`]);
  assert.equal(await define("resource: seen", 12), [`${lineOf("label: seen")}: seen`]);
  assert.equal(await define("#/components/schemas/Order", 24), [`${lineOf("    Order:")}: Order`]);
  assert.equal(await define("this.id #", 6), [`${lineOf("    Order:")}: id`]);
});

tests("references are found and renamed everywhere, and nothing else", async ({ editor }) => {
  const context = { context: { includeDeclaration: true } };
  const uses = await editor.ask<Location[]>(
    "textDocument/references",
    "orders.yaml",
    text.indexOf("$name") + 2,
    context,
  );
  assert.is(uses.length, 3);
  const highlights = await editor.ask<Location[]>(
    "textDocument/documentHighlight",
    "orders.yaml",
    text.indexOf("$name") + 2,
  );
  assert.equal(highlights.map(textAt), uses.map(textAt));
  const rename = async (part: string, inside: number, newName: string) => {
    const at = text.indexOf(part) + inside;
    const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", "orders.yaml", at, { newName });
    return applied(text, editsOf(edit, editor.uri("orders.yaml")));
  };
  const variable = text.replace("let name", "let other").replaceAll("$name", "$other");
  assert.is(await rename("let name", 5, "other"), variable);
  assert.is(
    await rename("map shout", 5, "loud"),
    text.replace("map shout", "map loud").replace('"shout"', '"loud"'),
  );
  assert.is(
    await rename("label: seen", 8, "met"),
    text.replace("label: seen", "label: met").replace("resource: seen", "resource: met"),
  );
  const component = text
    .replace("    Order:", "    Purchase:")
    .replaceAll("schemas/Order", "schemas/Purchase");
  assert.is(await rename("    Order:", 5, "Purchase"), component);
  const refused = await rename("let name", 5, "not a name").catch(({ message }: Error) => message);
  assert.is(refused, "`not a name` cannot be the name of a variable.");
});

tests("symbols, folds and selections follow the document", async ({ editor }) => {
  const [stream] = await editor.ask<DocumentSymbol[]>("textDocument/documentSymbol", "orders.yaml");
  assert.is(stream?.name, "intake");
  const children = stream?.children?.map(({ name }) => name) ?? [];
  for (const name of ["http_server", "mapping", "cache", "drop", "seen", "enrich"])
    assert.ok(children.includes(name), name);
  const symbols = await editor.request<WorkspaceSymbol[]>("workspace/symbol", { query: "ENR" });
  assert.equal(
    symbols.map(({ name }) => name),
    ["enrich"],
  );
  for (const [query, container] of [
    ["shout", "orders.yaml"],
    ["Order", "schemas"],
  ] as const) {
    const [found] = await editor.request<WorkspaceSymbol[]>("workspace/symbol", { query });
    assert.equal([found?.name, found?.containerName], [query, container]);
  }
  const folds = await editor.ask<FoldingRange[]>("textDocument/foldingRange", "orders.yaml");
  const streams = folds.find(({ startLine }) => startLine === lineOf("  streams:") - 1);
  assert.is(streams?.endLine, text.split("\n").length - 2);
  const position = { line: lineOf("let name") - 1, character: 19 };
  const [selection] = await editor.ask<SelectionRange[]>(
    "textDocument/selectionRange",
    "orders.yaml",
    undefined,
    { positions: [position] },
  );
  assert.is(selection && textAt(selection), `${lineOf("let name")}: name`);
  assert.is(selection?.parent && textAt(selection.parent), `${lineOf("let name")}: let name = this.id`);
});

tests("types, failures and routes stand beside the text", async ({ editor }) => {
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hints = await editor.ask<InlayHint[]>("textDocument/inlayHint", "orders.yaml", undefined, { range });
  const mapping = hints.find(({ position }) => position.line === lineOf("- mapping: |") - 1);
  assert.match(String(mapping?.label), /^→ \{ name: /);
  const lenses = await editor.ask<CodeLens[]>("textDocument/codeLens", "orders.yaml");
  assert.equal(
    lenses.map(({ command, range }) => [command?.title, command?.command, range.start.line]),
    [
      ["POST /orders/new", "", lineOf("    intake:") - 1],
      ["Show topology", "sluice.showTopology", lineOf("    intake:") - 1],
      ["Try with a sample", "sluice.tryMapping", 23],
      ["Try with a sample", "sluice.tryMapping", lineOf("- mapping: |")],
    ],
  );
  const [, topology, trial] = lenses.map(({ command }) => command?.arguments);
  assert.equal(topology, [editor.uri("orders.yaml")]);
  assert.equal(trial?.[0], editor.uri("orders.yaml"));
});

tests("unit tests are run, and pages of a gateway opened, from above them", async ({ editor }) => {
  await editor.open("a_test.yaml", "# of a mapping\ntests:\n  - name: one\n    target_mapping: ./a.blobl\n");
  const [lens, ...others] = await editor.ask<CodeLens[]>("textDocument/codeLens", "a_test.yaml");
  assert.equal(others, []);
  assert.equal(lens, {
    range: { start: { line: 1, character: 0 }, end: { line: 1, character: 6 } },
    command: { title: "Run tests", command: "sluice.test", arguments: [editor.uri("a_test.yaml")] },
  });
  await editor.close("a_test.yaml");
  const bare =
    "input: { generate: { mapping: root = 1 } }\noutput: { http_server: { stream_path: /numbers } }\n";
  await editor.open("numbers.yaml", bare);
  const [page] = await editor.ask<CodeLens[]>("textDocument/codeLens", "numbers.yaml");
  assert.is(page?.command?.command, "sluice.openRoute");
  assert.match(String(page?.command?.arguments?.[0]), /^http:\/\/localhost:8080\/.*numbers$/);
  await editor.close("numbers.yaml");
});

tests("scripts have tokens in order, each within its line", async ({ editor }) => {
  const { data } = await editor.ask<SemanticTokens>("textDocument/semanticTokens/full", "orders.yaml");
  const legend = editor.capabilities.semanticTokensProvider?.legend.tokenTypes ?? [];
  const lines = text.split("\n");
  const found: string[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [down = 0, right = 0, length = 0, type = 0] = data.slice(at, at + 5);
    character = down === 0 ? character + right : right;
    line += down;
    const token = (lines[line] ?? "").slice(character, character + length);
    assert.is(token.length, length);
    found.push(`${legend[type]} ${token}`);
  }
  for (const token of [
    "keyword let",
    "variable name",
    "variable $name",
    "method apply",
    "keyword this",
    "property id",
    'string "double"',
  ])
    assert.ok(found.includes(token), `${token} is not among ${found.join(", ")}`);
});

tests("scripts are laid out, and nothing else", async ({ editor }) => {
  const before = text
    .replace("let name = this.id", "let  name =   this.id")
    .replace("{ path: /new }", "{ path:  /new }");
  await editor.open("laid-out.yaml", before);
  const options = { options: { tabSize: 2, insertSpaces: true } };
  const edits = await editor.ask<TextEdit[]>("textDocument/formatting", "laid-out.yaml", undefined, options);
  const after = before.replace("let  name =   this.id", "let name = this.id");
  assert.is(applied(before, edits), after);
  await editor.open("laid-out.yaml", after);
  assert.equal(await editor.ask("textDocument/formatting", "laid-out.yaml", undefined, options), []);
  await editor.open("own.blobl", "root.a =  1\n");
  const own = await editor.ask<TextEdit[]>("textDocument/formatting", "own.blobl", undefined, options);
  assert.is(applied("root.a =  1\n", own), "root.a = 1\n");
});

tests(
  "a byte order mark takes a place in the first line, for diagnostics, hovers and edits",
  async ({ editor }) => {
    await editor.open("marked.blobl", "\uFEFFroot = this.a.uppercas()");
    const [found] = await editor.diagnose("marked.blobl");
    assert.equal(found?.range, { start: { line: 0, character: 15 }, end: { line: 0, character: 23 } });
    await editor.open("marked.blobl", "\uFEFFroot = this.a.uppercase()");
    const hover = await editor.ask<{ contents: { value: string } }>("textDocument/hover", "marked.blobl", 17);
    assert.match(hover.contents.value, /uppercase\(\)/);
    await editor.open("marked.yaml", "\uFEFFinput: { stdin: {}, buffr: {} }\noutput: { stdout: {} }\n");
    const [unknown] = await editor.diagnose("marked.yaml");
    assert.is(unknown?.range.start.character, 10);
    await editor.open("marked.yaml", "\uFEFFopenapi: 3.1.0\n");
    assert.ok((await editor.diagnose("marked.yaml")).length > 0);
  },
);

tests("files that a document names are links", async ({ editor }) => {
  await editor.write({
    "named/gateway.yaml": "apis: [orders.yaml]\n",
    "named/common.blobl": "map a { root = this }\n",
  });
  await editor.open(
    "named/orders.yaml",
    `input: { stdin: {} }
pipeline: { processors: [{ mapping: 'import "./common.blobl"\n\n        root = this.apply("a")' }] }
output: { stdout: {} }
`,
  );
  const inDocument = await editor.ask<{ target: string }[]>("textDocument/documentLink", "named/orders.yaml");
  assert.equal(
    inDocument.map(({ target }) => target),
    [editor.uri("named/common.blobl")],
  );
  await editor.open("named/gateway.yaml", "apis: [orders.yaml, https://example.com/a.yaml]\n");
  const inSet = await editor.ask<{ target: string; range: object }[]>(
    "textDocument/documentLink",
    "named/gateway.yaml",
  );
  assert.equal(
    inSet.map(({ target, range }) => [target, range]),
    [
      [
        editor.uri("named/orders.yaml"),
        { start: { line: 0, character: 7 }, end: { line: 0, character: 18 } },
      ],
    ],
  );
});

tests("files that components read and write are links", async ({ editor }) => {
  const text = `input:
  file: { paths: [./in.json, "data/*.json", "\${DIR}/a"] }
pipeline:
  processors:
    - json_schema: { schema_path: schemas/order.json }
output:
  file: { path: /var/out.log }
`;
  await editor.open("files.yaml", text);
  const links = await editor.ask<{ target: string }[]>("textDocument/documentLink", "files.yaml");
  assert.equal(
    links.map(({ target }) => target),
    [editor.uri("in.json"), editor.uri("schemas/order.json"), "file:///var/out.log"],
  );
  await editor.close("files.yaml");
});

const context = { includeDeclaration: true };

/** Resolves with the lines and columns, from 1, in the response to a request about a place. */
async function placesAt(
  editor: Editor,
  method: "definition" | "references",
  [name, at]: readonly [name: string, at: number],
): Promise<readonly string[]> {
  const found = await editor.ask<Location[]>(`textDocument/${method}`, name, at, { context });
  return found.map(({ uri, range: { start } }) =>
    [uri.split("/").at(-1), start.line + 1, start.character + 1].join(":"),
  );
}

tests("what an alias repeats in two streams has the names of both", async ({ editor }) => {
  const stream = (processors: string) => `
      input: { generate: { mapping: root.id = 1, interval: 1s } }
      pipeline: { processors: ${processors} }
      output: { drop: {} }
      cache_resources: [{ label: seen, memory: {} }]`;
  const whole = `openapi: 3.1.0
info: { title: Twice, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    one:${stream("&steps [{ cache: { resource: seen, operator: get, key: a } }]")}
    two:${stream("*steps")}
`;
  await editor.open("twice.yaml", whole);
  const declared = ["twice.yaml:10:34", "twice.yaml:15:34"];
  const used = whole.indexOf("resource: seen") + 12;
  const last = whole.lastIndexOf("seen") + 1;
  for (const at of [used, last]) {
    assert.equal(await placesAt(editor, "definition", ["twice.yaml", at]), declared);
    const found = await placesAt(editor, "references", ["twice.yaml", at]);
    assert.equal(found, [...declared, "twice.yaml:8:60"]);
  }
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", "twice.yaml", last, {
    newName: "größe",
  });
  const renamed = applied(whole, editsOf(edit, editor.uri("twice.yaml")));
  assert.is(renamed, whole.replaceAll("seen", "größe"));
  const symbols = await editor.ask<DocumentSymbol[]>("textDocument/documentSymbol", "twice.yaml");
  assert.equal(
    symbols.map(({ name, children }) => [name, ...(children ?? []).map((each) => each.name)]),
    [
      ["one", "generate", "cache", "drop", "seen"],
      ["two", "generate", "drop", "seen"],
    ],
  );
});

tests("fields lead to where they come from, and to all that reads them", async ({ editor }) => {
  const own = text.replace("- resource: enrich", '- mapping: root.more = this.name + this."name"');
  await editor.open("fields.yaml", own);
  const schema = own.indexOf("id: { type") + 1;
  const read = own.indexOf("this.id # ") + 6;
  const wanted = ["fields.yaml:12:42", "fields.yaml:30:31"];
  assert.equal(await placesAt(editor, "definition", ["fields.yaml", read]), wanted.slice(0, 1));
  assert.equal((await placesAt(editor, "references", ["fields.yaml", schema])).toSorted(), wanted);
  assert.equal((await placesAt(editor, "references", ["fields.yaml", read])).toSorted(), wanted);
  // A field that a mapping creates.
  const made = own.indexOf("root.name") + 6;
  assert.is((await placesAt(editor, "references", ["fields.yaml", made])).length, 3);
  assert.is(await editor.ask("textDocument/prepareRename", "fields.yaml", made), null);
});

tests("keys of metadata that an input alone sets lead to the input", async ({ editor }) => {
  const whole = `input:
  kafka: { addresses: [a:1], topics: [b], consumer_group: c }
pipeline:
  processors:
    - mapping: |
        root.t = @kafka_topic + metadata("kafka_topic").string()
        root.o = @other
output: { drop: {} }
`;
  await editor.open("brought.yaml", whole);
  const at = whole.indexOf("@kafka") + 3;
  assert.equal(await placesAt(editor, "definition", ["brought.yaml", at]), ["brought.yaml:2:3"]);
  assert.equal(await placesAt(editor, "references", ["brought.yaml", at]), [
    "brought.yaml:6:19",
    "brought.yaml:6:43",
  ]);
  assert.equal(await placesAt(editor, "definition", ["brought.yaml", whole.indexOf("@other") + 2]), []);
});

tests("a reference leads on from its text and from nowhere else", async ({ editor }) => {
  const reference = text.indexOf('"#/components');
  for (const at of [reference, reference + 4, reference + 20, reference - 4])
    assert.equal(await placesAt(editor, "definition", ["orders.yaml", at]), ["orders.yaml:12:5"], `${at}`);
  assert.equal(await placesAt(editor, "references", ["orders.yaml", reference + 4]), [
    ...["orders.yaml:12:5", "orders.yaml:8:78", "orders.yaml:13:63"],
  ]);
  const broken = text.replace("schemas/Order", "schemas/Ordr");
  await editor.open("broken.yaml", broken);
  assert.equal(await placesAt(editor, "definition", ["broken.yaml", reference + 4]), []);
  const behind = text.indexOf("} } }", reference) + 3;
  assert.equal(await placesAt(editor, "definition", ["orders.yaml", behind]), []);
});

tests("schemas and fields have their references wherever they are declared", async ({ editor }) => {
  const tree = `input:
  schema:
    $defs: { node: { type: object, properties: { name: { type: string }, below: { $ref: "#/input/schema/$defs/node" } } } }
    properties: { top: { $ref: "#/input/schema/$defs/node" }, other: { $ref: "#/input/schema/$defs/node/properties/name" } }
  nats: { urls: ["nats://a:1"], subject: a }
output: { drop: {} }
`;
  await editor.open("tree.yaml", tree);
  const at = (part: string) => ["tree.yaml", tree.indexOf(part) + 1] as const;
  const place = (part: string, word: string) => {
    const before = tree.slice(0, tree.indexOf(part) + part.indexOf(word)).split("\n");
    return `tree.yaml:${before.length}:${(before.at(-1) ?? "").length + 1}`;
  };
  const node = [place("node: {", "node"), place('node" } } }', "node"), place('node" }, other', "node")];
  assert.equal(await placesAt(editor, "references", at("node: {")), node);
  assert.equal(await placesAt(editor, "references", at('node" }, other')), node);
  const name = [place("name: {", "name"), place('name" }', "name")];
  assert.equal(await placesAt(editor, "references", at("name: {")), name);
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", ...at("node: {"), { newName: "Leaf" });
  assert.is(editsOf(edit, editor.uri("tree.yaml")).length, 3);
  assert.is(await editor.ask("textDocument/rename", ...at("name: {"), { newName: "Leaf" }), null);
});

tests("every selection holds the place that it is for", async ({ editor }) => {
  const whole = JSON.stringify(parse(text), undefined, 1);
  await editor.open("selected.json", whole);
  const document = TextDocument.create("", "", 0, whole);
  const places = [...whole.matchAll(/[\w$]+|\S/g)].map(({ index }) => index);
  const found = await editor.ask<SelectionRange[]>(
    "textDocument/selectionRange",
    "selected.json",
    undefined,
    {
      positions: places.map((at) => document.positionAt(at)),
    },
  );
  for (const [index, at] of places.entries()) {
    let depth = 0;
    for (let each = found[index]; each !== undefined; each = each.parent) {
      const [start, end] = [document.offsetAt(each.range.start), document.offsetAt(each.range.end)];
      assert.ok(start <= at && at <= end, `${at}: ${start} to ${end}`);
      depth++;
    }
    assert.ok(depth > 0);
  }
});

tests("anchors of YAML are followed, explained and renamed", async ({ editor }) => {
  const text = `openapi: 3.1.0
info: { title: Anchors, version: 1.0.0 }
paths: {}
x-broker: &broker
  addresses: [localhost:9092]
x-gw-streaming:
  streams:
    one:
      input: { http_server: { path: /one } }
      pipeline: { processors: [{ mapping: "root = this.a *this.b" }] }
      output: { kafka: { <<: *broker, topic: one } }
    two:
      input: { http_server: { path: /two } }
      output: { kafka: { <<: *broker, topic: two } }
`;
  await editor.open("anchors.yaml", text);
  const at = text.lastIndexOf("*broker") + 3;
  const [declared, ...others] = await editor.ask<Location[]>("textDocument/definition", "anchors.yaml", at);
  assert.equal(others, []);
  assert.equal(declared?.range, { start: { line: 3, character: 11 }, end: { line: 3, character: 17 } });
  const hover = await editor.ask<Hover>("textDocument/hover", "anchors.yaml", at);
  assert.equal(hover.contents, {
    kind: "markdown",
    value: "```yaml\naddresses: [localhost:9092]\n```\n\nAnchor `&broker` of line 4, with 2 aliases.",
  });
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", "anchors.yaml", at, { newName: "k" });
  const renamed = applied(text, editsOf(edit, editor.uri("anchors.yaml")));
  assert.is(renamed, text.replaceAll("*broker", "*k").replace("&broker", "&k"));
  await editor.close("anchors.yaml");
});

tests.run();
