import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { Range } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { parse } from "yaml";
import { check } from "../../compiler/index.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { locate } from "../../compiler/source/source.ts";
import { projectRoot } from "../harness/directories.ts";
import { editorSuite } from "./client.ts";

// Documents edited at random through the protocol, with requests in between, some of them cancelled. `--edits N` makes N edits,
// `--seed N` other ones; `npm run fuzz:editor` makes 100,000.

const argument = (name: string, otherwise: number) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};
const edits = argument("--edits", 150);
const seed = argument("--seed", 20_260_101);

const tests = editorSuite("random edits");

/** Returns a generator of numbers below 1 that depend on the seed only (mulberry32). */
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

const everything = { start: { line: 0, character: 0 }, end: { line: 999, character: 0 } };

const requests: readonly (readonly [string, "place" | "whole", object?])[] = [
  ["textDocument/hover", "place"],
  ["textDocument/completion", "place"],
  ["textDocument/signatureHelp", "place"],
  ["textDocument/definition", "place"],
  ["textDocument/references", "place", { context: { includeDeclaration: true } }],
  ["textDocument/prepareRename", "place"],
  ["textDocument/rename", "place", { newName: "other" }],
  ["textDocument/documentHighlight", "place"],
  ["textDocument/prepareCallHierarchy", "place"],
  ["textDocument/documentLink", "whole"],
  ["textDocument/codeAction", "whole", { range: everything, context: { diagnostics: [] } }],
  ["textDocument/selectionRange", "whole", { positions: [{ line: 3, character: 2 }] }],
  [
    "textDocument/rangeFormatting",
    "whole",
    { range: everything, options: { tabSize: 2, insertSpaces: true } },
  ],
  ["textDocument/documentSymbol", "whole"],
  ["textDocument/foldingRange", "whole"],
  ["textDocument/semanticTokens/full", "whole"],
  ["textDocument/codeLens", "whole"],
  ["textDocument/formatting", "whole", { options: { tabSize: 2, insertSpaces: true } }],
  ["textDocument/inlayHint", "whole", { range: everything }],
];

/** The document changed while the server worked on it; the client cancelled the request; the new name is not possible. */
const refusals = {
  contentModified: -32801,
  requestCancelled: -32800,
  invalidParams: -32602,
  requestFailed: -32803,
};

/** Requests whose results may be in any document of the set. */
const crossing: ReadonlySet<string> = new Set([
  "textDocument/definition",
  "textDocument/references",
  "textDocument/rename",
  "textDocument/prepareCallHierarchy",
  "textDocument/codeAction",
]);

/** Returns every range in a result, at any depth. */
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
    const read = (file: string) => readFileSync(join(projectRoot, "examples", file), "utf8");
    const documents = [
      { name: "one/orders.yaml", text: read("high-value-orders/orders.yaml") },
      { name: "one/chat.yaml", text: read("chat/chat.yaml").replaceAll("\n", "\r\n") },
      {
        name: "one/quickstart.json",
        text: JSON.stringify(parse(read("quickstart/orders.yaml")), undefined, 1),
      },
      {
        name: "one/maps.blobl",
        text: 'map shout {\n  root = this.uppercase() + "😀"\n}\nroot = this.a.apply("shout")\n',
      },
      { name: "set/gateway.yaml", text: read("keys/gateway.yaml") },
      { name: "set/orders.yaml", text: read("keys/orders.yaml") },
    ];
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
      const isCancelled = next() < 0.1;
      const answer = await editor[isCancelled ? "askAndCancel" : "ask"]<unknown>(
        method,
        name,
        place,
        more,
      ).catch((error: { code: number; message: string }) => {
        const isKnown = Object.values(refusals).includes(error.code);
        assert.ok(isKnown, `${method}: ${error.code} ${error.message}`);
        assert.ok(isCancelled || error.code !== refusals.requestCancelled, `${method} was not cancelled`);
        return null;
      });
      answered++;
      const document = TextDocument.create("file:///after", "", 0, after);
      // The results of these may be in other documents, too.
      if (crossing.has(method)) continue;
      for (const { start: from, end } of rangesIn(answer)) {
        assert.ok(document.offsetAt(from) <= document.offsetAt(end), method);
        assert.ok(
          end.line < document.lineCount,
          `${method} answers of line ${end.line} of ${document.lineCount}`,
        );
      }
    }
    assert.is(answered, edits);
    for (const { name, text } of documents) await editor.open(name, text);
    // The server responds when nothing is left to check: an older text may have had as many mistakes.
    await editor.request("workspace/symbol", { query: "" });
    const whole = Object.fromEntries(documents.map(({ name, text }) => [name, text]));
    for (const { name } of documents.filter((each) => !each.name.endsWith(".blobl"))) {
      // The set is checked as a whole.
      const checked = name.startsWith("set/") ? "set/gateway.yaml" : name;
      const { diagnostics } = await check([checked], { fileSystem: createMemoryFileSystem(whole) });
      const wanted = diagnostics.filter(({ span }) => span.source.file.path === name);
      const places = wanted.map(({ code, span }) => {
        const { start } = locate(span);
        return `${code} ${start.line}`;
      });
      const found = editor.published(name) ?? [];
      assert.equal(
        found.map(({ code, range }) => `${code} ${range.start.line + 1}`),
        places,
        name,
      );
    }
  },
);

tests.run();
