// Prints every text of the conformance data that parses: the output has to parse to the same tree.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseMapping, parseQuery, parseTemplate } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import type { MappingNode } from "../../compiler/trees/mapping.ts";
import { printExpression, printMapping, printTemplate } from "../harness/mapping-printer.ts";
import { shapeOf } from "../parse/mapping/trees.ts";
import { type Row, readRows } from "./rows.ts";

type Parse<T> = (
  source: ReturnType<typeof createSourceFile>,
  report: ReturnType<typeof createSink>["report"],
) => T | undefined;

/** Returns the tree of a text; `undefined` if the text has a mistake. */
function treeOf<T extends MappingNode>(text: string, parse: Parse<T>): T | undefined {
  const sink = createSink();
  const tree = parse(createSourceFile("row.blobl", text), sink.report);
  return sink.hasErrors() ? undefined : tree;
}

/** Whether `text` parses; if so, its printed form has to have the same tree. */
function keeps<T extends MappingNode>(text: string, parse: Parse<T>, print: (tree: T) => string): boolean {
  const tree = treeOf(text, parse);
  if (tree === undefined) return false;
  const printed = print(tree);
  assert.equal(shapeOf(treeOf(printed, parse)), shapeOf(tree), `${text}\nprinted as\n${printed}`);
  return true;
}

function textsOf(row: Row): readonly string[] {
  const read = row.mapping.slice(0, row.mapping.length - (row.trailing_text_ignored ?? "").length);
  const steps = row.processors?.map(({ mapping }) => mapping) ?? [];
  return [read, ...steps, ...Object.values(row.maps ?? {}), ...Object.values(row.files ?? {})];
}

const rows = readRows();

test("mappings keep their AST when printed and parsed", () => {
  const kept = rows.flatMap(textsOf).filter((text) => keeps(text, parseMapping, printMapping));
  assert.ok(kept.length > 900, `${kept.length} parse`);
});

test("queries keep their AST when printed and parsed", () => {
  const texts = rows.filter(({ expression }) => expression === true).flatMap(textsOf);
  const kept = texts.filter((text) => keeps(text, parseQuery, printExpression));
  assert.ok(kept.length > 400, `${kept.length} parse`);
});

test("templates keep their AST when printed and parsed", () => {
  const texts = rows.flatMap(({ template }) => template ?? []);
  const kept = texts.filter((text) => keeps(text, parseTemplate, printTemplate));
  assert.ok(kept.length > 20, `${kept.length} parse`);
});

test.run();
