// What an editor says of the parts of a document beside its streams: references, variables, keys of OpenAPI, metadata.

import * as assert from "uvu/assert";
import type {
  CompletionList,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  MarkupContent,
  SemanticTokens,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { parse } from "yaml";
import { type Editor, editorSuite, marked } from "./client.ts";

const tests = editorSuite("parts of a document in an editor");

const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
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
      properties:
        id: { type: string }
x-gw-streaming:
  streams:
    intake:
      input: { nats: { urls: ["\${NATS:nats://localhost:4222}"], subject: orders } }
      pipeline:
        processors:
          - mapping: |
              meta kind = "order"
              meta "the source" = "web"
              root = this
          - log: { message: '\${! @kind } \${! meta("kind") }' }
          - mapping: root.from = @"the source"
      output: { nats: { urls: ["\${NATS}"], subject: "\${SUBJECT}" } }
    other:
      input: { nats: { urls: ["\${NATS}"], subject: others } }
      pipeline: { processors: [{ mapping: root.kind = @kind }] }
      output: { drop: {} }
`;

const hoverOf = async (editor: Editor, at: number) => {
  const hover = await editor.ask<Hover | null>("textDocument/hover", "a.yaml", at);
  return hover === null ? "" : (hover.contents as MarkupContent).value;
};

tests("hovers show what a reference points to, variables, and keys of OpenAPI", async ({ editor }) => {
  await editor.open("a.yaml", document);
  const reference = await hoverOf(editor, document.indexOf("#/components") + 3);
  assert.match(reference, /type: object\nproperties:\n {2}id: \{ type: string \}/);
  assert.match(reference, /a\.yaml`, line 14/);
  const variable = await hoverOf(editor, document.indexOf("${NATS:") + 4);
  assert.match(variable, /environment variable/);
  assert.match(variable, /Where it is not set: `nats:\/\/localhost:4222`/);
  assert.match(variable, /line 20\n.*line 29\n.*line 31/);
  assert.match(await hoverOf(editor, document.indexOf("${SUBJECT}") + 4), /does not start without it/);
  assert.match(await hoverOf(editor, document.indexOf("requestBody")), /The body of requests/);
  assert.match(await hoverOf(editor, document.indexOf("properties:")), /fields of an object/);
});

tests("hovers and proposals show no secret", async ({ editor }) => {
  const secret = "Zq7xM4rk";
  const text = document
    .replace(
      "root = this\n",
      `root.token = "${secret}1"\n              root.key = this.id.hash("md5", "${secret}2")\n`,
    )
    .replaceAll("${SUBJECT}", `\${TOKEN:${secret}3}`)
    .replace("root.from = ", "root.from = this.");
  await editor.open("a.yaml", text);
  for (const place of ["token", `"${secret}1"`, `"${secret}2"`, "TOKEN"]) {
    const hover = await hoverOf(editor, text.indexOf(place) + 1);
    assert.match(hover, "•••");
    assert.not.match(hover, secret);
  }
  const at = text.indexOf("root.from = this.") + "root.from = this.".length;
  const proposed = await editor.ask<CompletionList>("textDocument/completion", "a.yaml", at);
  assert.is(proposed.items.find(({ label }) => label === "token")?.detail, '"•••"');
});

tests("keys and values of OpenAPI are completed", async ({ editor }) => {
  const complete = async (written: string) => {
    const { text, at } = marked(written);
    await editor.open("a.yaml", text);
    const { items } = await editor.ask<CompletionList>("textDocument/completion", "a.yaml", at);
    return items.map(({ label }) => label);
  };
  const operation = await complete(document.replace("    post:\n", "    post:\n      ‸\n"));
  assert.ok(["operationId", "parameters", "security"].every((key) => operation.includes(key)));
  assert.not.ok(operation.includes("responses"));
  const type = await complete(document.replace("id: { type: string", "id: { type: ‸"));
  assert.ok(["string", "integer", "array"].every((each) => type.includes(each)));
});

tests("metadata lead from where they are read to where the stream sets them", async ({ editor }) => {
  await editor.open("a.yaml", document);
  const places = (found: readonly Location[]) =>
    found.map(({ range: { start } }) => `${start.line}:${start.character}`).toSorted();
  const definition = async (at: number) =>
    places(await editor.ask<Location[]>("textDocument/definition", "a.yaml", at));
  assert.equal(await definition(document.indexOf("@kind") + 2), ["23:19"]);
  assert.equal(await definition(document.indexOf('meta("kind")') + 7), ["23:19"]);
  assert.equal(await definition(document.indexOf('@"the source"') + 4), ["24:20"]);
  // Messages of another stream have metadata of their own.
  assert.equal(await definition(document.lastIndexOf("@kind") + 2), []);
  const references = await editor.ask<Location[]>(
    "textDocument/references",
    "a.yaml",
    document.indexOf("meta kind") + 6,
    { context: { includeDeclaration: true } },
  );
  assert.equal(places(references), ["23:19", "26:34", "26:51"]);
  const renamed = await editor.ask<WorkspaceEdit | null>(
    "textDocument/rename",
    "a.yaml",
    document.indexOf("meta kind") + 6,
    { newName: "sort" },
  );
  assert.is(renamed, null);
});

tests(
  "what reads of a document that is broken for now keeps its outline, colours and answers",
  async ({ editor }) => {
    const text = `input:
  kafka: { addresses: [a:1], topics: [t], consumer_group: g }
pipeline:
  processors:
    - mapping: |
        let name = this.id
        root.name = $name
output: { drop: {} }
`;
    const json = JSON.stringify(parse(text), undefined, 2);
    const ask = async (name: string) => {
      const [stream] = await editor.ask<DocumentSymbol[]>("textDocument/documentSymbol", name);
      const { data } = await editor.ask<SemanticTokens>("textDocument/semanticTokens/full", name);
      const folds = await editor.ask<FoldingRange[]>("textDocument/foldingRange", name);
      return { parts: stream?.children?.length, tokens: data.length, isFolded: folds.length > 0 };
    };
    const broken: readonly (readonly [name: string, whole: string, at: string, typed: string])[] = [
      ["broken.yaml", text, "pipeline:", "buf\n"],
      ["broken.yaml", text, "output:", "    - cache: { resource: [\n"],
      ["broken.yaml", text.replaceAll("\n", "\r\n"), "pipeline:", "\tbuffer:\r\n"],
      ["broken.json", json, '  "pipeline"', '  "buff\n'],
    ];
    for (const [name, whole, at, typed] of broken) {
      await editor.open(name, whole);
      const before = await ask(name);
      assert.equal(before, { parts: 3, tokens: 7 * 5, isFolded: true });
      const start = whole.indexOf(at);
      await editor.edit(name, start, start, typed);
      const codes = (await editor.diagnose(name)).map(({ code }) => String(code));
      assert.ok(
        codes.some((code) => /^GW10[12]/.test(code)),
        `${name} is broken`,
      );
      assert.equal(await ask(name), before, typed);
      const use = editor.textOf(name).lastIndexOf("$name") + 2;
      assert.ok(await editor.ask<Hover | null>("textDocument/hover", name, use));
      assert.is((await editor.ask<Location[]>("textDocument/definition", name, use)).length, 1);
    }
  },
);

tests.run();
