import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fixDocuments } from "../../compiler/cli/fix-documents.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { applyFixes } from "../../compiler/diagnostics/fixes/apply-fixes.ts";
import { check } from "../../compiler/index.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createSourceFile, spanOf } from "../../compiler/source/source.ts";
import { projectRoot } from "../harness/directories.ts";

const seed = { seed: 4711 } as const;

/** One diagnostic for each edit, `[start, length, text, isSafe]`, in one file. */
function diagnosticsOf(text: string, edits: readonly (readonly [number, number, string, boolean])[]) {
  const file = createSourceFile("a.yaml", text);
  return edits.map(([start, length, replacement, isSafe]): Diagnostic => {
    const span = spanOf(file, Math.min(start, text.length), Math.min(start + length, text.length));
    const fix = { title: "", isSafe, edits: [{ span, text: replacement }] };
    return { code: "GW4010", severity: "error", message: "", span, fix };
  });
}

test("only applied edits change the text, and the first of two overlapping edits wins", () => {
  const edit = fc.tuple(fc.nat(60), fc.nat(8), fc.string({ maxLength: 5 }), fc.boolean());
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.array(edit, { maxLength: 8 }),
      (text, edits) => {
        const diagnostics = diagnosticsOf(text, edits);
        const [fixed] = applyFixes(diagnostics);
        // Carried out one by one from the end, so that earlier places stay where they are.
        const kept: { start: number; end: number; text: string }[] = [];
        for (const { fix } of diagnostics) {
          const only = fix?.edits[0];
          if (only === undefined || fix?.isSafe !== true) continue;
          const { start, end } = only.span;
          const meets = kept.some((one) => one.start === start || (start < one.end && one.start < end));
          if (!meets) kept.push({ start, end, text: only.text });
        }
        const expected = kept
          .toSorted((a, b) => b.start - a.start)
          .reduce((so, one) => so.slice(0, one.start) + one.text + so.slice(one.end), text);
        assert.is(fixed?.text ?? text, expected);
        assert.is(fixed?.fixed ?? 0, kept.length);
      },
    ),
    seed,
  );
});

async function fixedText(text: string): Promise<string> {
  const { changed } = await fixDocuments(["api.yaml"], createMemoryFileSystem({ "api.yaml": text }));
  return changed[0]?.after ?? text;
}

/** Documents in which nothing is left to fix: what fixing then changes is the misspelling, or a fault of ours. */
const examples = await Promise.all(
  globSync("examples/*/*.yaml", { cwd: projectRoot })
    .sort()
    .map((path) => readFileSync(join(projectRoot, path), "utf8"))
    .filter((text) => text.includes("x-gw-streaming"))
    .map(fixedText),
);

/** Words of a document that a letter may be missing from: keys, methods, values. */
function wordsOf(text: string): readonly { readonly start: number; readonly word: string }[] {
  return [...text.matchAll(/(?<=^ *(?:- )?|[{,.] *)[a-z_]{5,}(?=:|\()/gm)].map((match) => ({
    start: match.index,
    word: match[0],
  }));
}

function misspell(text: string, at: number, letter: number): string {
  const words = wordsOf(text);
  const chosen = words[at % words.length];
  if (chosen === undefined) return text;
  const gone = chosen.start + 1 + (letter % (chosen.word.length - 1));
  return text.slice(0, gone) + text.slice(gone + 1);
}

test("fixing a misspelt document keeps comments, lines and correct text", async () => {
  assert.ok(examples.length >= 4);
  const choice = fc.tuple(fc.nat(), fc.nat(), fc.nat());
  let corrected = 0;
  await fc.assert(
    fc.asyncProperty(choice, async ([which, at, letter]) => {
      const original = `${examples[which % examples.length]}# the end\n`;
      const written = misspell(original, at, letter);
      const after = await fixedText(written);
      assert.equal(after.match(/#.*$/gm), written.match(/#.*$/gm));
      assert.is(after.split("\n").length, written.split("\n").length);
      const lines = original.split("\n");
      const wrong = after.split("\n").filter((line, index) => line !== lines[index]);
      assert.ok(wrong.length <= 1, wrong.join("\n"));
      if (after === original) corrected++;
    }),
    { ...seed, numRuns: 60 },
  );
  assert.ok(corrected >= 30, `only ${corrected} of 60 were put right`);
});

/** The text after the fix of the first diagnostic of a code that has one, carried out though it is not safe. */
async function carryOut(name: string, text: string, code: string): Promise<string | undefined> {
  const { diagnostics } = await check([name], { fileSystem: createMemoryFileSystem({ [name]: text }) });
  const found = diagnostics.find((each) => each.code === code && each.fix !== undefined);
  const [fixed] = applyFixes(
    found?.fix === undefined ? [] : [{ ...found, fix: { ...found.fix, isSafe: true } }],
  );
  return fixed?.text;
}

test("fields at the wrong level are moved to the right one, in every notation", async () => {
  const output = "output:\n  drop: {}\n";
  const head = "input:\n  kafka:\n    addresses: [a:1]\n    topics: [x]\n";
  const moves: readonly (readonly [before: string, after: string])[] = [
    [`${head}  consumer_group: g # c\n`, `${head}    consumer_group: g # c\n`],
    [
      "input:\n  kafka:\n  addresses: [a:1]\n  topics:\n  - x\n",
      "input:\n  kafka:\n    addresses: [a:1]\n  topics:\n  - x\n",
    ],
    [
      "input:\n  kafka:\n    addresses: [a:1]\n  topics:\n  - x\n",
      "input:\n  kafka:\n    addresses: [a:1]\n    topics:\n    - x\n",
    ],
    [
      `${head}    consumer_group: g\n    label: me\n`,
      "input:\n  label: me\n  kafka:\n    addresses: [a:1]\n    topics: [x]\n    consumer_group: g\n",
    ],
    [
      `${head}    tls:\n      enabled: true\n      sasl:\n        mechanism: PLAIN\n`,
      `${head}    sasl:\n      mechanism: PLAIN\n    tls:\n      enabled: true\n`,
    ],
    [
      "input: { kafka: { addresses: [a:1], topics: [x] }, consumer_group: g }\n",
      "input: { kafka: { addresses: [a:1], topics: [x], consumer_group: g } }\n",
    ],
  ];
  for (const [before, after] of moves)
    for (const eol of ["\n", "\r\n"]) {
      const [from, to] = [before, after].map((text) => (text + output).replaceAll("\n", eol));
      assert.is(await carryOut("a.yaml", from ?? "", "GW4010"), to);
    }
  const kafka = { addresses: ["a:1"], topics: ["x"] };
  for (const indent of [undefined, 2]) {
    const before = { input: { kafka, consumer_group: "g" }, output: { drop: {} } };
    const text = await carryOut("a.json", JSON.stringify(before, undefined, indent), "GW4010");
    const after = { input: { kafka: { ...kafka, consumer_group: "g" } }, output: { drop: {} } };
    if (indent === undefined) assert.equal(JSON.parse(text ?? ""), after);
    else assert.is(text, JSON.stringify(after, undefined, indent));
  }
});

test("entries are found in a line of thousands of characters", async () => {
  const scheme = { enabled: true, signingMethod: "hmac" };
  const server = (settings: object) => ({
    listenPath: { value: "/a/" },
    authentication: { enabled: true, securitySchemes: { k: settings } },
  });
  const api = (settings: object) =>
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "a", version: "1", description: "x".repeat(7000) },
      paths: { "/a": { get: { responses: { 200: { description: "" } } } } },
      components: { securitySchemes: { k: { type: "apiKey", in: "header", name: "X" } } },
      security: [{ k: [] }],
      "x-gw-api-gateway": {
        info: { name: "a" },
        upstream: { url: "http://a.test" },
        server: server(settings),
      },
    });
  assert.is(await carryOut("a.json", api(scheme), "GW4210"), api({ enabled: true }));
});

test.run();
