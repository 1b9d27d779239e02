import * as assert from "uvu/assert";
import type { CodeAction, Diagnostic, Location, Range, WorkspaceEdit } from "vscode-languageserver-protocol";
import { applied, type Editor, editorSuite, editsOf } from "./client.ts";

// A client that goes to every word of documents of many styles: definitions and references say the same from each place, a
// rename changes what references list and nothing that is wrong, and fixes take away what they are for.

const description = (input: string, processors: string, output: string) => `openapi: 3.1.0
info: { title: "Größe 😀", version: 1.0.0 }
paths: {}
components:
  schemas:
    Line: { type: object, properties: { sku: { type: string }, price: { type: number } } }
    Order: { type: object, properties: { id: { type: integer }, lines: { type: array, items: { $ref: "#/components/schemas/Line" } } } }
x-gw-streaming:
  streams:
    first:
      input: ${input}
      pipeline:
        processors: ${processors}
      output: ${output}
`;

const order =
  '{ schema: { $ref: "#/components/schemas/Order" }, nats: { urls: ["nats://localhost:4222"], subject: orders.new } }';
const json = {
  input: { generate: { mapping: 'root = {"é": "😀", "n": 1}', interval: "1s" } },
  pipeline: {
    processors: [
      {
        label: "shape",
        mapping: 'let größer = 1\\nlet t = this.n + 1\\nroot = this\\nroot.t = $t\\nmeta kind = "a"',
      },
      {
        switch: [{ check: "this.t > 1", processors: [{ log: { message: "${! this.t } of ${! @kind }" } }] }],
      },
      { cache: { resource: "seen", operator: "set", key: "${! this.n }", value: "a" } },
    ],
  },
  output: { kafka: { addresses: ["a:1"], topic: 'orders-${! meta("kind") }' } },
  cache_resources: [{ label: "seen", memory: {} }],
};

const files: Readonly<Record<string, string>> = {
  "flow.yaml": description(
    order,
    "[ { label: ü1, mapping: 'root.a = this.lines.map_each(l -> l.price).sum()' }, { mutation: 'root.b = this.a' } ]",
    "{ drop: {} }",
  ),
  "json.json": JSON.stringify(json, undefined, 1).replace("let größer = 1\\\\n", ""),
  "compact.json": JSON.stringify(json).replaceAll("let größer = 1\\\\n", ""),
  "scalars.yaml": `input:
  generate:
    interval: 1s
    mapping: >-
      root.text =
      "äöü" + "😀"
pipeline:
  processors: &steps
    - mapping: |2-
          let size = this.text.length()
          root.n = $size
          root.m = "x" + $size.string()
    - mapping: "root.q = this.n\\\\nroot.s = \\"\\\\u00e9\\" + this.m\\
        \\\\nroot.t = 5"
    - bloblang: |+
        map shout {
          root = this.uppercase()
        }
        root.v = this.s.apply("shout")

output: { drop: {} }
`
    .replaceAll("\\\\n", "\\n")
    .replaceAll("\\\\u", "\\u"),
  "windows.yaml": `\uFEFFinput: { generate: { interval: 1s, mapping: 'root.a = "😀é"' } }
pipeline:
  processors:
    - label: "ö"
      mapping: |
        let x = this.a # ü
        root.b = $x + this.a
output: { drop: {} }
`.replaceAll("\n", "\r\n"),
  "maps/maps.blobl":
    'map norm {\n  let t = this.trim()\n  root = $t.lowercase().apply("inner")\n}\nmap inner {\n  root = this.replace_all("é", "e")\n}\n',
  "maps/stream.yaml": `input: { kafka: { addresses: [a:1], topics: [things], consumer_group: g } }
pipeline:
  processors:
    - mapping: |
        import "./maps.blobl"
        root.name = this.name.apply("norm")
        root.key = @kafka_key
        meta out = this.id.string()
    - mapping: root.k = @out
output: { kafka: { addresses: [a:1], topic: other, key: "\${! @out }" } }
`,
  "wrong.yaml": description(
    order,
    `
          - mapping: |
              let unused = "ä😀"
              root.x = this.lnes
              root.y = $unusd
          - cache: { resource: nope, operator: gte, key: a }
          - mapping: root.i = this.x.lengh()
          - log: { message: "\${! this.i.strng() }", level: INF }`,
    "{ kafka: { addreses: [a:1], topic: t } }",
  ),
};
const names = Object.keys(files);

const tests = editorSuite("every place of a document", files, async (editor) => {
  for (const [name, text] of Object.entries(files)) await editor.open(name, text);
});

const context = { includeDeclaration: true };

/** Returns the starts, middles and ends of words. */
function placesIn(text: string): readonly number[] {
  const places = new Set<number>();
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}_@$-]+|[^\s]/gu))
    for (const at of [index, index + (word.length >> 1), index + word.length]) places.add(at);
  return [...places];
}

const nameOf = (editor: Editor, uri: string) => names.find((name) => editor.uri(name) === uri);

const written = ({ uri, range: { start, end } }: Location) =>
  `${uri} ${start.line}:${start.character}-${end.line}:${end.character}`;

const listed = (found: readonly Location[]) => found.map(written).toSorted();

function assertWithin(text: string, range: Range, what: string): void {
  const lines = text.split("\n");
  for (const { line, character } of [range.start, range.end])
    assert.ok(character <= (lines[line] ?? "").replace(/\r$/, "").length, `${what}: ${line}:${character}`);
}

/** Resolves with the diagnostics of all documents, by code and line. */
async function wrongIn(editor: Editor): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names)
    for (const { code, range } of await diagnose(editor, name))
      found.push(`${name} ${code} ${range.start.line}`);
  return found.toSorted();
}

/** Resolves with the diagnostics of the newest text, also if the change was in a file that the document reads. */
async function diagnose(editor: Editor, name: string): Promise<readonly Diagnostic[]> {
  await editor.ask("textDocument/documentSymbol", name);
  return editor.diagnose(name);
}

for (const name of names) {
  const text = files[name] ?? "";

  tests(`${name}: each place of a thing says the same of it`, async ({ editor }) => {
    const ask = (at: number | Range["start"], method: string, of = name) =>
      editor.ask<Location[]>(`textDocument/${method}`, of, at, { context });
    let count = 0;
    for (const at of placesIn(text)) {
      const what = `${name} ${text.slice(Math.max(0, at - 10), at)}‸${text.slice(at, at + 10)}`;
      for (const method of ["hover", "completion", "signatureHelp", "prepareCallHierarchy"])
        await editor.ask(`textDocument/${method}`, name, at);
      const found = await ask(at, "references");
      const definition = listed(await ask(at, "definition"));
      for (const { uri, range } of found) {
        const other = nameOf(editor, uri) ?? "";
        assertWithin(editor.textOf(other), range, what);
        assert.equal(listed(await ask(range.start, "definition", other)), definition, what);
        assert.equal(listed(await ask(range.start, "references", other)), listed(found), what);
        count++;
      }
    }
    assert.ok(count > 0);
  });

  tests(`${name}: a rename changes what references list, and nothing that is wrong`, async ({ editor }) => {
    const before = await wrongIn(editor);
    const done = new Set<string>();
    for (const at of placesIn(text)) {
      if ((await editor.ask("textDocument/prepareRename", name, at)) === null) continue;
      const found = await editor.ask<Location[]>("textDocument/references", name, at, { context });
      if (done.has(listed(found).join())) continue;
      done.add(listed(found).join());
      const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", name, at, { newName: "zz_other" });
      const edits = Object.entries(edit.changes ?? {});
      const changed = edits.flatMap(([uri, each]) => each.map(({ range }) => ({ uri, range })));
      assert.equal(listed(changed), listed(found));
      for (const [uri] of edits) {
        const other = nameOf(editor, uri) ?? "";
        await editor.open(other, applied(files[other] ?? "", editsOf(edit, uri)));
      }
      assert.equal(await wrongIn(editor), before, listed(found).join());
      for (const [uri] of edits)
        await editor.open(nameOf(editor, uri) ?? "", files[nameOf(editor, uri) ?? ""] ?? "");
    }
  });

  tests(`${name}: what is offered takes away what it is for, and adds nothing`, async ({ editor }) => {
    const reported = ({ code, message }: Diagnostic) => `${code} ${message}`;
    const before = await diagnose(editor, name);
    for (const { range } of before) {
      const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", name, undefined, {
        range,
        context: { diagnostics: [] },
      });
      for (const { title, edit, diagnostics = [] } of actions) {
        await editor.open(name, applied(text, editsOf(edit, editor.uri(name))));
        const after = (await diagnose(editor, name)).map(reported);
        const known = before.map(reported);
        assert.equal(
          after.filter((each) => !known.includes(each)),
          [],
          title,
        );
        assert.ok(after.length < known.length || diagnostics.length === 0, title);
        await editor.open(name, text);
      }
    }
  });
}

tests.run();
