import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseMapping, parseTemplate } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { printMapping } from "../harness/mapping-printer.ts";

/** The opening and closing text of a level, by construct. */
const constructs: readonly (readonly [open: string, close: string])[] = [
  ["(", ")"],
  ["[", "]"],
  ['{"a": ', "}"],
  ["{(", '): 1, "b": 2}'],
  ["f(", ")"],
  ["f(x: ", ")"],
  ["a.(", ")"],
  ["a[", "]"],
  ["a[1:", "]"],
  ["match { ", " => 1 }"],
  ["match { a => ", " }"],
  ['match {"a": ', "} { _ => 1 }"],
  ["match (", ") { _ => 1 }"],
  ["if ", " { 1 }"],
  ["if a { ", " }"],
  ["if a { 1 } else { ", " }"],
  ["!(", ")"],
  ["-(", ")"],
  ["_ -> 1 + (", ")"],
];

function parse(text: string) {
  const sink = createSink();
  const mapping = parseMapping(createSourceFile("test.blobl", text), sink.report);
  return { mapping, codes: sink.diagnostics().map(({ code }) => code) };
}

for (const [open, close] of constructs) {
  test(`${open}…${close} nests to sixty levels and is rejected at ten thousand`, () => {
    const nest = (depth: number) => `root = ${open.repeat(depth)}a${close.repeat(depth)}\n`;
    const { mapping, codes } = parse(nest(60));
    assert.equal(codes, []);
    assert.ok(mapping);
    assert.equal(parse(printMapping(mapping)).codes, []);
    assert.equal(parse(nest(10_000)).codes, ["GW2022"]);
    assert.ok(parse(`root = ${open.repeat(10_000)}`).codes.length > 0);
  });
}

test("blocks of statements are rejected at ten thousand levels", () => {
  const text = `${"if a { ".repeat(10_000)}b = 1${" }".repeat(10_000)}\n`;
  assert.equal(parse(text).codes, ["GW2022"]);
});

test("long chains of operators and tails are rejected, and long lists are accepted", () => {
  assert.equal(parse(`root = 1${" + 1".repeat(900)}\n`).codes, []);
  assert.equal(parse(`root = 1${" + 1".repeat(10_000)}\n`).codes, ["GW2022"]);
  assert.equal(parse(`this${".a".repeat(10_000)}\n`).codes, ["GW2022"]);
  assert.equal(parse(`root = [${"1, ".repeat(10_000)}]\n`).codes, []);
});

test("long sequences of branches and cases, and long targets, are rejected", () => {
  const codes = (text: string) => parse(`${text}\n`).codes;
  assert.equal(codes(`root = if a { 1 }${" else if b { 2 }".repeat(1999)}`), []);
  assert.equal(codes(`root = if a { 1 }${" else if b { 2 }".repeat(10_000)}`), ["GW2022"]);
  assert.equal(codes(`if a { b = 1 }${" else if b { b = 2 }".repeat(10_000)}`), ["GW2022"]);
  assert.equal(codes(`root = match a { ${"1 => 2, ".repeat(2000)} }`), []);
  assert.equal(codes(`root = match a { ${"1 => 2, ".repeat(10_000)} }`), ["GW2022"]);
  assert.equal(codes(`root${".a".repeat(1000)} = 1`), []);
  assert.equal(codes(`root${".a".repeat(10_000)} = 1`), ["GW2022"]);
});

test("templates have the same limits", () => {
  const sink = createSink();
  parseTemplate(createSourceFile("t", `\${! ${"(".repeat(10_000)}`), sink.report);
  assert.equal(
    sink.diagnostics().map(({ code }) => code),
    ["GW2022"],
  );
});

test("ten thousand statements parse, and mistakes are reported up to the limit", () => {
  const statement = 'root.a = this.items.map_each(i -> match i { "x" => 1, _ => {"k": [1, i.b | null]} })\n';
  assert.is(parse(statement.repeat(10_000)).mapping?.statements.length, 10_000);
  assert.is(parse("root.a=1\n".repeat(10_000)).codes.length, 100);
});

test.run();
