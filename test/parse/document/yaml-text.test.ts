// The decoded text of YAML scalars equals the parser's value, and each character has its source position.

import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { createSink } from "../../../compiler/diagnostics/sink.ts";
import { parseYaml } from "../../../compiler/parse/yaml/parse-yaml.ts";
import { createSourceFile, locate } from "../../../compiler/source/source.ts";
import { findNode, type ScalarNode } from "../../../compiler/trees/document.ts";

function readScalar(yaml: string, ...path: readonly string[]): ScalarNode | undefined {
  const sink = createSink();
  const tree = parseYaml(createSourceFile("a.yaml", yaml), sink.report);
  const node = findNode(tree, ...path);
  return !sink.hasErrors() && node?.kind === "scalar" ? node : undefined;
}

/** Asserts that every character is at its position in the text, unless it is an escape, a fold or a doubled quote. */
function checkText(yaml: string, node: ScalarNode): void {
  const { text } = node;
  assert.is(text.text, node.value, JSON.stringify(yaml));
  let before = -1;
  for (let index = 0; index < text.text.length; index++) {
    const char = text.text.charAt(index);
    const offset = text.offsetInFile(index);
    const written = yaml.charAt(offset);
    const isWritten = written === char || written === "\\" || (char === " " && /[\r\n]/.test(written));
    assert.ok(isWritten, `${JSON.stringify(yaml)} at ${index}`);
    assert.ok(offset >= before, `${JSON.stringify(yaml)} goes back at ${index}`);
    before = offset;
  }
}

const line = fc.string({
  unit: fc.constantFrom("a", "b", " ", " ", "\t", "'", '"', "\\", "é", "😀", "#", ":", "-", "n", "\\n", "中"),
  maxLength: 8,
});
const lines = fc.array(line, { minLength: 1, maxLength: 6 });
const lineBreak = fc.constantFrom("\n", "\r\n");

function indent(content: readonly string[], eol: string, spaces: string): string {
  return content.map((text) => (text === "" ? "" : spaces + text)).join(eol);
}

function checkAll(documents: fc.Arbitrary<string>, wanted: number): void {
  let checked = 0;
  const property = fc.property(documents, (yaml) => {
    const node = readScalar(yaml, "k");
    if (typeof node?.value !== "string") return;
    checked++;
    // The library is inconsistent about a last line of spaces: it sometimes adds a line break.
    if (!/\n +\s*(?:next: 1\n)?$/.test(yaml)) assert.is(node.value, expected(yaml));
    checkText(yaml, node);
  });
  fc.assert(property, { numRuns: 1500, seed: 20 });
  assert.ok(checked >= wanted, `only ${checked} documents were YAML`);
}

/** Returns the library's value; it ends the last line of a file if the file does not (YAML 1.2.2, production 167). */
function expected(yaml: string): string {
  const read: string = parse(yaml, { logLevel: "error" }).k;
  return /^k: [|>].*\n *[^ \n][^\n]*$/s.test(yaml) ? read.replace(/\n$/, "") : read;
}

test("block scalars with every header keep the positions of their text", () => {
  const header = fc.constantFrom(
    "|",
    ">",
    "|-",
    ">-",
    "|+",
    ">+",
    "|2",
    ">2",
    "|2-",
    ">1+",
    "|1",
    "> # note",
  );
  const end = fc.constantFrom("", "\n", "\n\n", "\nnext: 1\n", "\n\n   \nnext: 1\n", "\r\n\r\n");
  const documents = fc
    .tuple(header, lines, lineBreak, fc.constantFrom("  ", " ", "    "), end)
    .map(([head, content, eol, spaces, tail]) => `k: ${head}${eol}${indent(content, eol, spaces)}${tail}`);
  checkAll(documents, 500);
});

test("plain scalars over several lines keep the positions of their text", () => {
  const documents = fc
    .tuple(lines, lineBreak)
    .map(([content, eol]) => `k: ${indent(content, eol, "  ").trimStart()}${eol}next: 1${eol}`);
  checkAll(documents, 100);
});

test("single-quoted scalars keep the positions of their text", () => {
  const documents = fc
    .tuple(lines, lineBreak)
    .map(([content, eol]) => `k: '${indent(content, eol, "  ").replaceAll("'", "''")}'${eol}`);
  checkAll(documents, 500);
});

test("double-quoted scalars with escapes keep the positions of their text", () => {
  const piece = fc.constantFrom(
    ..."ab \t".split(""),
    ...[
      "\\n",
      "\\t",
      '\\"',
      "\\\\",
      "\\x41",
      "\\u00e9",
      "\\U0001F600",
      "\\_",
      "\\N",
      "\\/",
      "é",
      "😀",
      "\\ ",
    ],
  );
  const content = fc.array(fc.string({ unit: piece, maxLength: 6 }), { minLength: 1, maxLength: 5 });
  const documents = fc
    .tuple(content, fc.constantFrom("\n  ", "\r\n  ", "\\\n  ", "\\\r\n  ", " \\\n\t ", "\n\n  ", " \n \n "))
    .map(([parts, joint]) => `k: "${parts.join(joint)}"\n`);
  checkAll(documents, 1000);
});

test("a position in the third line of a literal block is found", () => {
  const yaml = "a:\n  mapping: |\n    root = this\n    root.x = 1\n    root.y = thiz\n";
  const node = readScalar(yaml, "a", "mapping");
  const start = node?.text.text.indexOf("thiz") ?? -1;
  assert.ok(node);
  const place = locate({ source: node.text, start, end: start + 4 });
  assert.equal(
    [place.start, place.end],
    [
      { line: 5, column: 14 },
      { line: 5, column: 18 },
    ],
  );
});

test("a position after escapes in double quotes is found", () => {
  const yaml = 'a: "root = \\"😀\\"\\nroot.y = thiz"\n';
  const node = readScalar(yaml, "a");
  assert.ok(node);
  const start = node.text.text.indexOf("thiz");
  assert.equal(locate({ source: node.text, start, end: start + 4 }).start, { line: 1, column: 28 });
});

test("U+2028 in folded text keeps the text and its value equal", () => {
  const yaml = "k: one\n  two\u2028three\n  four\n";
  const node = readScalar(yaml, "k");
  assert.ok(node);
  assert.is(node.text.text, node.value);
});

test("spaces beyond the indentation are content on the last lines of a block too", () => {
  for (const [yaml, value] of [
    ["k: |\n  a\n    \n", "a\n  \n"],
    ["k: |-2\n    a\n    \nb: 1\n", "  a\n  "],
    ["k: |-\n  a\n   \n  \n\nb: 1\n", "a\n "],
    ["k: |\n  a\n  \nb: 1\n", "a\n"],
  ] as const)
    assert.is(readScalar(yaml, "k")?.value, value, JSON.stringify(yaml));
});

test("the span of a block is its content", () => {
  const yaml = "k: |2\n\n    one\n  two\n\nnext: 1\n";
  const node = readScalar(yaml, "k");
  assert.ok(node);
  assert.is(yaml.slice(node.span.start, node.span.end), "one\n  two");
});

test("the end position of a character is after its whole escape", () => {
  for (const [written, ends] of [
    [String.raw`"a\"b\u00e9c\x41\U0001F600d"`, [2, 4, 5, 11, 12, 16, 26, 26, 27]],
    ["'a''b'", [2, 4, 5]],
    ["|\n  a\n  b", [5, 6, 9]],
    [">\n  a\n  b", [5, 6, 9]],
  ] as const) {
    const { text } = readScalar(`k: ${written}`, "k") ?? {};
    assert.equal(
      [...Array(text?.text.length).keys()].map((at) => (text?.endInFile(at) ?? 0) - "k: ".length),
      ends,
      written,
    );
  }
});

test.run();
