import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Range } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { check } from "../../compiler/index.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { projectRoot } from "../harness/directories.ts";
import { type Editor, startEditor } from "./client.ts";

// Documents edited at random through the protocol, with requests in between. `--edits N` makes N edits, `--seed N` other ones:
// node scripts/run.js test/language-server/edits.test.ts --edits 100000

const argument = (name: string, otherwise: number) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};
const edits = argument("--edits", 240);
const seed = argument("--seed", 20_260_101);

const tests = suite<{ editor: Editor }>("random edits");

tests.before(async (context) => {
  context.editor = await startEditor();
});

tests.after(async ({ editor }) => {
  assert.equal(editor.log, [], "nothing in the server failed");
  assert.is(await editor.stop(), 0);
});

/** A generator of numbers below 1 that starts anew from a seed (mulberry32). */
function random(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pieces = [
  ..."{}[]()\"':,.|#$@-\n\t \r😀é\u2028",
  ...[
    "root.a = this.",
    "map x {",
    "  ",
    "\n    ",
    "- ",
    "input:",
    "&a ",
    "*a",
    "<<: ",
    "${!",
    "$ref: ",
    "\r\n",
    '"""',
    "-> ",
    "if ",
  ],
];

const requests: readonly (readonly [string, "place" | "whole", object?])[] = [
  ["textDocument/hover", "place"],
  ["textDocument/completion", "place"],
  ["textDocument/signatureHelp", "place"],
  ["textDocument/definition", "place"],
  ["textDocument/references", "place", { context: { includeDeclaration: true } }],
  ["textDocument/prepareRename", "place"],
  ["textDocument/documentSymbol", "whole"],
  ["textDocument/foldingRange", "whole"],
  ["textDocument/semanticTokens/full", "whole"],
  ["textDocument/codeLens", "whole"],
  ["textDocument/formatting", "whole", { options: { tabSize: 2, insertSpaces: true } }],
  [
    "textDocument/inlayHint",
    "whole",
    { range: { start: { line: 0, character: 0 }, end: { line: 999, character: 0 } } },
  ],
];

/** The document changed while the server worked on it. */
const contentModified = -32801;

/** Every range in an answer, wherever it stands. */
function rangesIn(value: unknown): readonly Range[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "start" in value && "end" in value && typeof value.start === "object" ? [value as Range] : [];
  return [...own, ...Object.values(value).flatMap(rangesIn)];
}

tests(
  "every request is answered, of the text as it is, and the last diagnostics are those of `sluice check`",
  async ({ editor }) => {
    const next = random(seed);
    const below = (limit: number) => Math.floor(next() * limit);
    const files = [
      "examples/high-value-orders/orders.yaml",
      "examples/chat/chat.yaml",
      "examples/quickstart/orders.yaml",
    ];
    const documents = files.map((file, index) => ({
      name: `edited-${index}.yaml`,
      text: readFileSync(join(projectRoot, file), "utf8"),
    }));
    for (const { name, text } of documents) await editor.open(name, text);
    let answered = 0;
    for (let count = 0; count < edits; count++) {
      const { name, text: original } = documents[below(documents.length)] ?? { name: "", text: "" };
      const text = editor.textOf(name);
      const start = below(text.length + 1);
      const what = next();
      if (what < 0.55) await editor.edit(name, start, start, pieces[below(pieces.length)] ?? "");
      else if (what < 0.85) await editor.edit(name, start, Math.min(text.length, start + below(12)), "");
      else await editor.open(name, original);
      const [method, kind, more] = requests[below(requests.length)] ?? requests[0] ?? ["", "whole"];
      const after = editor.textOf(name);
      const place = kind === "place" ? below(after.length + 1) : undefined;
      const answer = await editor
        .ask<unknown>(method, name, place, more)
        .catch((error: { code?: number }) => {
          assert.is(error.code, contentModified, `${method}: ${JSON.stringify(error)}`);
          return null;
        });
      answered++;
      const document = TextDocument.create("file:///after", "", 0, after);
      if (method === "textDocument/definition") continue;
      for (const { start: from, end } of rangesIn(answer)) {
        assert.ok(document.offsetAt(from) <= document.offsetAt(end), method);
        assert.ok(
          end.line < document.lineCount,
          `${method} answers of line ${end.line} of ${document.lineCount}`,
        );
      }
    }
    assert.is(answered, edits);
    for (const { name, text } of documents) {
      await editor.open(name, text);
      const found = (await editor.diagnose(name)).map(({ code }) => code);
      const { diagnostics } = await check([name], { fileSystem: createMemoryFileSystem({ [name]: text }) });
      assert.equal(
        found,
        diagnostics.map(({ code }) => code),
        name,
      );
    }
  },
);

tests.run();
