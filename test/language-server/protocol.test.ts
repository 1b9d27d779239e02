import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type {
  CodeAction,
  Diagnostic,
  Hover,
  Location,
  Range,
  RelatedFullDocumentDiagnosticReport,
  SemanticTokens,
  WorkspaceDiagnosticReport,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { projectRoot } from "../harness/directories.ts";
import { startEditor } from "./client.ts";

const text = `input:
  generate:
    mapping: 'root = {"ключ": "😀é"}'
    interval: 1s
pipeline:
  processors:
    - mapping: |
        let a = "😀e\u0301" # 😀
        root.x = "😀e\u0301" + $a + this.ключ.upercase() # 😀
    - mapping: 'root = "😀" + this.x'
output:
  drop: {}
`.replace("this.ключ", 'this."ключ"');

/** How editors count positions that use UTF-8 or whole characters. */
const counters = {
  "utf-8": (part: string) => Buffer.byteLength(part),
  "utf-16": (part: string) => part.length,
  "utf-32": (part: string) => [...part].length,
};

for (const [kind, count] of Object.entries(counters))
  test(`positions in ${kind}`, async () => {
    const editor = await startEditor({}, { general: { positionEncodings: ["utf-7", kind, "utf-16"] } });
    assert.is(editor.capabilities.positionEncoding, kind);
    const name = "units.yaml";
    const lines = () => text.split("\n");
    const at = (word: string) => {
      const before = text.slice(0, text.indexOf(word));
      const line = before.split("\n").length - 1;
      return { line, character: count(before.split("\n")[line] ?? "") };
    };
    const part = ({ start, end }: Range) => {
      const line = lines()[start.line] ?? "";
      let found = "";
      let units = 0;
      for (const character of line) {
        if (units >= start.character && units < end.character) found += character;
        units += count(character);
      }
      return found;
    };
    await editor.open(name, text);
    const [problem, ...others] = await editor.diagnose(name);
    assert.is(others.length, 0);
    assert.is(problem && part(problem.range), "upercase");
    const asked = await editor.ask<RelatedFullDocumentDiagnosticReport>("textDocument/diagnostic", name);
    assert.equal(asked.items, [problem]);
    const all = await editor.request<WorkspaceDiagnosticReport>("workspace/diagnostic", {
      previousResultIds: [],
    });
    assert.equal(
      all.items.flatMap((item) => (item.kind === "full" ? item.items : [])),
      [problem],
    );
    const hover = await editor.ask<Hover>("textDocument/hover", name, at("$a"));
    assert.is(hover.range && part(hover.range), "$a");
    const [definition] = await editor.ask<Location[]>("textDocument/definition", name, at("$a"));
    assert.is(definition && part(definition.range), "a");
    const rename = await editor.ask<WorkspaceEdit>("textDocument/rename", name, at("$a"), { newName: "b" });
    assert.equal(
      rename.changes?.[editor.uri(name)]?.map(({ range }) => part(range)),
      ["a", "a"],
    );
    const range = { start: at("upercase"), end: at("upercase") };
    const [fix] = await editor.ask<CodeAction[]>("textDocument/codeAction", name, undefined, {
      range,
      context: { diagnostics: [] },
    });
    assert.is(fix?.edit?.changes?.[editor.uri(name)]?.map((edit) => part(edit.range)).join(), "upercase");
    const { data } = await editor.ask<SemanticTokens>("textDocument/semanticTokens/full", name);
    assert.equal(tokensOf(data).map(part), [
      ...["root", '"ключ"', '"😀é"', "let", "a", '"😀e\u0301"', "root", "x", '"😀e\u0301"', "$a", "this"],
      ...['"ключ"', "upercase", "root", '"😀"', "this", "x"],
    ]);
    // A change after characters of several code units is applied at the position that the editor means.
    const version = 2;
    await editor.notify("textDocument/didChange", {
      textDocument: { uri: editor.uri(name), version },
      contentChanges: [
        { range: { start: at("$a"), end: { ...at("$a"), character: at("$a").character + 2 } }, text: '"😀"' },
        {
          range: { start: at("$a"), end: { ...at("$a"), character: at("$a").character + count('"😀"') } },
          text: "$a",
        },
        { range, text: "up" },
        { range: { ...range, end: { ...range.end, character: range.end.character + 3 } }, text: "" },
      ],
    });
    const changed = await editor.ask<Hover>("textDocument/hover", name, at("upercase"));
    assert.match(JSON.stringify(changed.contents), /percase/);
    assert.equal(editor.log, []);
    assert.is(await editor.stop(), 0);
  });

function tokensOf(data: readonly number[]): readonly Range[] {
  const found: Range[] = [];
  let line = 0;
  let character = 0;
  for (let index = 0; index < data.length; index += 5) {
    const [lines = 0, units = 0, length = 0] = data.slice(index, index + 3);
    if (lines > 0) character = 0;
    line += lines;
    character += units;
    found.push({ start: { line, character }, end: { line, character: character + length } });
  }
  return found;
}

const orders = (type: string) => `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    s:
      input:
        generate:
          interval: 1s
          mapping: |
            import "./maps.blobl"
            root.x = ${type}.apply("m")
      output: { drop: {} }
`;

test("an editor that pulls diagnostics gets each once, and is notified when others change", async () => {
  const files = {
    "gateway.yaml": "apis: [orders.yaml, broken.yaml]\n",
    "maps.blobl": "map m {\n  root = this.uppercase()\n}\n",
    "broken.yaml": orders("this.x(").replace("Orders", "Others"),
  };
  const editor = await startEditor(files, {
    textDocument: { diagnostic: {} },
    workspace: { diagnostics: { refreshSupport: true } },
  });
  const ask = (name: string, previousResultId?: string) =>
    editor.ask<RelatedFullDocumentDiagnosticReport>("textDocument/diagnostic", name, undefined, {
      ...(previousResultId !== undefined && { previousResultId }),
    });
  await editor.open("orders.yaml", orders('"a"'));
  const first = await ask("orders.yaml");
  assert.is(first.kind, "full");
  assert.equal(
    first.items.map(({ code }) => code),
    [],
  );
  assert.equal(await ask("orders.yaml", first.resultId), { kind: "unchanged", resultId: first.resultId });
  // The server publishes diagnostics of closed files automatically, until the editor requests all of them.
  await editor.until("broken.yaml", (found) => found.length > 0);
  assert.is(editor.published("orders.yaml"), undefined);
  await editor.write({ "maps.blobl": "map other {\n  root = this.upercase()\n}\n" });
  await editor.refreshed(1);
  const all = await editor.request<WorkspaceDiagnosticReport>("workspace/diagnostic", {
    previousResultIds: [],
  });
  const found = all.items.flatMap((item) =>
    item.kind === "full" ? item.items.map(({ code }) => [item.uri, item.version, code]) : [],
  );
  assert.ok(found.some(([uri, , code]) => uri === editor.uri("maps.blobl") && code === "GW3004"));
  assert.ok(found.some(([uri, version]) => uri === editor.uri("broken.yaml") && version === null));
  await editor.until("broken.yaml", (left) => left.length === 0);
  const previousResultIds = all.items.map(({ uri, resultId }) => ({ uri, value: resultId ?? "" }));
  const again = await editor.request<WorkspaceDiagnosticReport>("workspace/diagnostic", {
    previousResultIds,
  });
  assert.ok(again.items.every(({ kind }) => kind === "unchanged"));
  assert.is(again.items.length, all.items.length);
  assert.is(await editor.stop(), 0);
});

test("changes without a version, of the whole text, and of documents that are not open are handled", async () => {
  const editor = await startEditor();
  const change = (name: string, contentChanges: readonly object[]) =>
    editor.notify("textDocument/didChange", {
      textDocument: { uri: editor.uri(name), version: null },
      contentChanges,
    });
  await editor.open("one.yaml", text);
  await editor.diagnose("one.yaml");
  await change("one.yaml", [{ text: text.replace("upercase", "uppercase") }]);
  await editor.until("one.yaml", (found) => found.length === 0);
  await change("two.yaml", [{ text }]);
  await editor.request("workspace/symbol", { query: "" });
  assert.is(editor.published("two.yaml"), undefined);
  assert.match(editor.log.join(), /two\.yaml was changed, but is not open/);
  assert.is(await editor.stop(), 0);
});

/** Opens a connection without any message on it. */
function connect() {
  const child = spawn(process.execPath, [join(projectRoot, "bin/sluice.js"), "lsp"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  return { connection, ended: once(child, "exit") };
}

test("requests before `initialize`, a second `initialize`, and requests after `shutdown` are protocol errors", async () => {
  const { connection, ended } = connect();
  const code = async (method: string, parameters?: object) => {
    try {
      await connection.sendRequest(method, parameters);
      return undefined;
    } catch (error) {
      return (error as { readonly code: number }).code;
    }
  };
  const hover = { textDocument: { uri: "file:///a.yaml" }, position: { line: 0, character: 0 } };
  assert.is(await code("textDocument/hover", hover), -32002);
  assert.is(await code("shutdown"), -32002);
  const start = { processId: null, rootUri: null, capabilities: {} };
  assert.is(await code("initialize", start), undefined);
  assert.is(await code("initialize", start), -32600);
  assert.is(await code("textDocument/hover", hover), undefined, "before `initialized`");
  assert.is(await code("sluice/unknown"), -32601);
  assert.is(await code("shutdown"), undefined);
  assert.is(await code("textDocument/hover", hover), -32600);
  await connection.sendNotification("exit");
  assert.is((await ended)[0], 0);
  connection.dispose();
});

test("`exit` ends a server that was not initialized", async () => {
  const { connection, ended } = connect();
  await connection.sendNotification("textDocument/didOpen", { textDocument: {} });
  await connection.sendNotification("exit");
  assert.is((await ended)[0], 1);
  connection.dispose();
});

test("an editor that watches no files still gets diagnostics for the files on disk", async () => {
  const files = { "gateway.yaml": "apis: [orders.yaml]\n", "orders.yaml": text };
  const editor = await startEditor(files, { workspace: { didChangeWatchedFiles: {} } });
  const speaksOf = (part: string) => (found: readonly Diagnostic[]) =>
    found.some(({ message }) => String(message).includes(part));
  const isFound = speaksOf("upercase");
  await editor.until("orders.yaml", isFound);
  writeFileSync(join(editor.folder, "orders.yaml"), text.replace("upercase", "uppercase"));
  await editor.until("orders.yaml", (found) => !isFound(found));
  rmSync(join(editor.folder, "orders.yaml"));
  await editor.until("gateway.yaml", speaksOf("orders.yaml"));
  assert.is(await editor.stop(), 0);
});

test.run();
