import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Hover, Location, Range } from "vscode-languageserver-protocol";
import { type Editor, startEditor } from "./client.ts";

// A client that violates the protocol, or uses it in unusual ways. The server responds to each request, if necessary with an
// error of the protocol, and its responses match the current text.

const text = `input:
  generate: { mapping: 'root.name = "😀"', interval: 1s }
pipeline:
  processors:
    - mapping: root.size = this.name.length()
output: { drop: {} }
`;

const requests: readonly (readonly [method: string, more?: object])[] = [
  ["textDocument/hover"],
  ["textDocument/completion"],
  ["textDocument/signatureHelp"],
  ["textDocument/definition"],
  ["textDocument/references", { context: { includeDeclaration: true } }],
  ["textDocument/documentHighlight"],
  ["textDocument/prepareRename"],
  ["textDocument/rename", { newName: "other" }],
  ["textDocument/prepareCallHierarchy"],
  ["textDocument/selectionRange", { positions: [{ line: 4, character: 40 }] }],
  ["textDocument/documentSymbol"],
  ["textDocument/foldingRange"],
  ["textDocument/semanticTokens/full"],
  ["textDocument/codeLens"],
  ["textDocument/documentLink"],
  ["textDocument/formatting", { options: { tabSize: 2, insertSpaces: true } }],
];

/** Resolves with the response to a request: the result, or the code of the error. */
async function answerTo(editor: Editor, method: string, parameters: unknown): Promise<unknown> {
  try {
    return { result: await editor.request<unknown>(method, parameters) };
  } catch (error) {
    return (error as { readonly code: number }).code;
  }
}

/** The errors that the protocol defines for invalid requests. */
const errors: ReadonlySet<unknown> = new Set([-32600, -32601, -32602, -32801, -32803]);

/** Asserts that the response is a result or an error of the protocol. */
function assertAnswered(answer: unknown, what: string): void {
  const isAnswer = typeof answer === "object" && answer !== null;
  assert.ok(isAnswer || errors.has(answer), `${what}: ${JSON.stringify(answer)}`);
}

/** Asserts that the server still responds according to the current text. */
async function assertAlive(editor: Editor, name = "alive.yaml"): Promise<void> {
  await editor.open(name, text);
  const hover = await editor.ask<Hover | null>("textDocument/hover", name, text.indexOf("this.name") + 6);
  assert.match(JSON.stringify(hover?.contents), /name/);
}

const places: readonly unknown[] = [
  ...[-1, 0.5, 2 ** 31 - 1, 2 ** 53, Number.MAX_VALUE].flatMap((number) => [
    { line: number, character: 0 },
    { line: 1, character: number },
    { line: number, character: number },
  ]),
  // Between the two code units of a character.
  { line: 1, character: text.split("\n")[1]?.indexOf("😀") ?? 0 },
  { line: 1, character: (text.split("\n")[1]?.indexOf("😀") ?? 0) + 1 },
];

const shapes: readonly unknown[] = [null, [], "x", 5, {}, { line: "1", character: null }, { line: {} }];

test("requests with invalid positions get responses, and the text is not changed", async () => {
  const editor = await startEditor();
  await editor.open("places.yaml", text);
  const textDocument = { uri: editor.uri("places.yaml") };
  for (const [method, more] of requests)
    for (const position of [...places, ...shapes])
      assertAnswered(
        await answerTo(editor, method, { textDocument, position, ...more }),
        `${method} ${JSON.stringify(position)}`,
      );
  for (const [start, end] of [...places, ...shapes].flatMap((one) => [
    [one, { line: 0, character: 0 }],
    [{ line: 2, character: 3 }, one],
  ]))
    for (const [method, more] of [
      ["textDocument/inlayHint"],
      ["textDocument/codeAction", { context: { diagnostics: [] } }],
      ["textDocument/rangeFormatting", { options: { tabSize: 2, insertSpaces: true } }],
    ] as const)
      assertAnswered(
        await answerTo(editor, method, { textDocument, range: { start, end }, ...more }),
        `${method} ${JSON.stringify([start, end])}`,
      );
  await assertAlive(editor);
  assert.is(await editor.stop(), 0);
});

test("invalid messages get error responses, and the server keeps working", async () => {
  const editor = await startEditor();
  await editor.open("alive.yaml", text);
  const nonsense = [undefined, null, [], {}, { textDocument: null }, { textDocument: { uri: 5 } }, "x", 5];
  for (const [method] of [
    ...requests,
    ["textDocument/diagnostic"],
    ["textDocument/inlayHint"],
    ["textDocument/codeAction"],
    ["textDocument/rangeFormatting"],
    ["textDocument/semanticTokens/full/delta"],
    ["textDocument/semanticTokens/range"],
    ["callHierarchy/incomingCalls"],
    ["callHierarchy/outgoingCalls"],
    ["workspace/symbol"],
    ["workspace/diagnostic"],
    ["workspace/willRenameFiles"],
  ]) {
    for (const parameters of nonsense)
      assert.is(
        await answerTo(editor, method ?? "", parameters),
        -32602,
        `${method} ${JSON.stringify(parameters)}`,
      );
    const elsewhere = { textDocument: { uri: "not an address" }, position: places[0] };
    const answer = await answerTo(editor, method ?? "", elsewhere);
    assert.ok(typeof answer === "object" || errors.has(answer), `${method}: ${JSON.stringify(answer)}`);
  }
  for (const method of ["sluice/none", "textDocument/moniker", "$/none"])
    assert.is(
      await answerTo(editor, method, { textDocument: { uri: editor.uri("alive.yaml") } }),
      -32601,
      method,
    );
  const edits = [
    undefined,
    null,
    [],
    {},
    { textDocument: {} },
    { textDocument: { uri: editor.uri("alive.yaml") } },
  ];
  for (const method of ["didOpen", "didChange", "didClose", "didSave"])
    for (const parameters of edits) await editor.notify(`textDocument/${method}`, parameters);
  await editor.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: "x:y", type: 9 }] });
  await editor.notify("$/cancelRequest", { id: 999_999 });
  await editor.notify("$/setTrace", { value: "loud" });
  await editor.notify("sluice/none", {});
  await editor.close("alive.yaml");
  await assertAlive(editor);
  assert.is(await editor.stop(), 0);
});

test("edits with invalid ranges are clamped to the document", async () => {
  const editor = await startEditor();
  const uri = editor.uri("ranges.yaml");
  const change = (range: unknown, replacement: string, version: unknown) =>
    editor.notify("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ range, text: replacement }],
    });
  await editor.notify("textDocument/didOpen", {
    textDocument: { uri, languageId: "yaml", version: 7, text: "a: 1\n" },
  });
  const at = (line: number, character: number) => ({ line, character });
  const whole = { start: at(0, 0), end: at(1_000_000, 0) };
  // Reversed ranges, ranges beyond the line or the text, and versions that decrease, repeat or are invalid.
  await change({ start: at(0, 4), end: at(0, 3) }, "2", 3);
  await change({ start: at(99, 99), end: at(99, 99) }, "b: 3\n", 3);
  await change({ start: at(0, 999), end: at(0, 999) }, " # c", null);
  await change(whole, text, 1);
  const [hover, tokens] = await Promise.all([
    editor.request<Hover | null>("textDocument/hover", { textDocument: { uri }, position: at(4, 33) }),
    editor.request<{ readonly data: readonly number[] }>("textDocument/semanticTokens/full", {
      textDocument: { uri },
    }),
  ]);
  assert.match(JSON.stringify(hover?.contents), /name/);
  assert.ok(tokens.data.length > 0);
  assert.equal(editor.log, []);
  assert.is(await editor.stop(), 0);
});

test("different spellings of a file URI are one document", async () => {
  const name = "ünï côde/a b#1.yaml";
  const editor = await startEditor({ [name]: text, "plain.yaml": text });
  const own = pathToFileURL(join(editor.folder, name)).href;
  const spellings = [
    own,
    own.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    own.replace("file:///", "file://localhost/"),
    own.replace("/a%20b", "/%61%20b"),
    own.replace("/%C3%BCn", "/./x/../%C3%BCn"),
  ];
  const at = { line: 4, character: 33 };
  const hover = (uri: string) =>
    editor.request<Hover | null>("textDocument/hover", { textDocument: { uri }, position: at });
  for (const uri of spellings) {
    await editor.notify("textDocument/didOpen", {
      textDocument: { uri, languageId: "yaml", version: 1, text: text.replace("size", "n1") },
    });
    for (const other of spellings)
      assert.match(JSON.stringify(await hover(other)), /name/, `${uri} ${other}`);
    await editor.notify("textDocument/didClose", { textDocument: { uri } });
  }
  symlinkSync(join(editor.folder, "plain.yaml"), join(editor.folder, "linked.yaml"));
  await editor.open("linked.yaml", text.replace("this.name", "this.nam"));
  await editor.until("linked.yaml", (found) => found.length === 1);
  // Documents that are not files of this machine.
  for (const uri of [
    "untitled:Untitled-1",
    "vscode-remote://host/a.yaml",
    "git:/a.yaml?ref",
    "file://host/a.yaml",
  ]) {
    await editor.notify("textDocument/didOpen", {
      textDocument: { uri, languageId: "yaml", version: 1, text },
    });
    assert.match(JSON.stringify(await hover(uri)), /name/, uri);
    const [found] = await editor.request<Location[]>("textDocument/definition", {
      textDocument: { uri },
      position: at,
    });
    assert.is(found?.uri, uri);
  }
  assert.equal(editor.log, []);
  assert.is(await editor.stop(), 0);
});

test("cancelled, repeated and late requests get responses, and the last text applies", async () => {
  const editor = await startEditor();
  await editor.open("late.yaml", text);
  const asked: Promise<unknown>[] = [];
  for (let round = 0; round < 40; round++) {
    await editor.edit("late.yaml", 0, 0, round % 2 === 0 ? "# 😀\n" : "");
    if (round % 2 === 1) await editor.edit("late.yaml", 0, "# 😀\n".length, "");
    for (const [method, more] of requests.slice(0, 8)) {
      const at = text.indexOf("this.name") + 6;
      const ask = round % 3 === 0 ? "askAndCancel" : "ask";
      asked.push(
        editor[ask]<unknown>(method, "late.yaml", at, more).catch(({ code }: { code: number }) => code),
      );
    }
  }
  const answers = await Promise.all(asked);
  const known = [-32800, -32801, -32602, -32803];
  for (const answer of answers)
    assert.ok(typeof answer !== "number" || known.includes(answer), String(answer));
  assert.is(editor.textOf("late.yaml"), text);
  const { range } = await editor.ask<{ readonly range: Range }>(
    "textDocument/hover",
    "late.yaml",
    text.indexOf("this.name") + 6,
  );
  assert.is(range.start.line, 4);
  assert.equal(editor.log, []);
  assert.is(await editor.stop(), 0);
});

test.run();
