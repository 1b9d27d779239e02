// Runs the conformance data. A row must hold unless it is in pending.json, with a reason, or uses builtins
// that do not exist yet; a pending row that holds is a failure too, so that the list only shrinks.

import { readFileSync, writeFileSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { findFunction, findMethod } from "../../compiler/builtins/catalogue.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseMapping, parseQuery } from "../../compiler/parse/mapping/parser.ts";
import { walk } from "../../compiler/parse/mapping/walk.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { execute, modes } from "./execute.ts";
import { type Row, readRows } from "./rows.ts";

process.env.TZ = "UTC";
const pendingFile = new URL("pending.json", import.meta.url);
const pending = JSON.parse(readFileSync(pendingFile, "utf8")) as Readonly<Record<string, string>>;

interface Result {
  readonly row: Row;
  /** Builtins it uses that do not exist. */
  readonly missing: readonly string[];
  readonly problem: string | undefined;
}

function runRow(row: Row): Result {
  const missing = missingBuiltins(row);
  if (missing.length > 0) return { row, missing, problem: undefined };
  try {
    return { row, missing, problem: execute(row) };
  } catch (error) {
    return { row, missing, problem: `threw ${error instanceof Error ? error.stack : error}` };
  }
}

/** Unknown names, unless not knowing them is what the row is about. */
function missingBuiltins(row: Row): readonly string[] {
  if (row.mode === "interpolation" || row.parse_error?.includes("unrecognised")) return [];
  const texts = row.processors?.map((step) => step.mapping) ?? [row.mapping];
  return [...new Set(texts.flatMap(unknownNames))];
}

function unknownNames(text: string): readonly string[] {
  const source = createSourceFile("row", text);
  const tree = parseMapping(source, createSink().report) ?? parseQuery(source, createSink().report);
  if (tree === undefined) return [];
  const names: string[] = [];
  walk(tree, {
    FunctionCall(node) {
      if (findFunction(node.name.text) === undefined) names.push(`${node.name.text}()`);
    },
    MethodCall(node) {
      if (findMethod(node.name.text) === undefined) names.push(`.${node.name.text}()`);
    },
  });
  return names;
}

const results = readRows()
  .filter((row) => modes.includes(row.mode))
  .map(runRow);

if (process.env.UPDATE === "1") {
  const failing = results.filter(({ problem }) => problem !== undefined);
  const reasons = failing.map(
    ({ row, problem = "" }) => [row.id, pending[row.id] ?? problem.slice(0, 160)] as const,
  );
  writeFileSync(pendingFile, `${JSON.stringify(Object.fromEntries(reasons), undefined, 2)}\n`);
}

for (const mode of modes) {
  const ours = results.filter(({ row }) => row.mode === mode);
  const waiting = ours.filter(({ missing }) => missing.length > 0);
  const failed = ours.filter(({ problem }) => problem !== undefined);
  const passed = ours.length - waiting.length - failed.length;
  console.log(
    `${mode}: ${passed} passed, ${failed.length} failed, ${waiting.length} need builtins, of ${ours.length}`,
  );
}

test("rows hold unless they are pending", () => {
  const broken = results.filter(({ row, problem }) => problem !== undefined && pending[row.id] === undefined);
  assert.equal(broken.map(({ row, problem }) => `${row.id}\n  ${row.mapping}\n  ${problem}`).join("\n"), "");
});

test("pending rows do not hold", () => {
  const done = results.filter(({ row, problem, missing }) => {
    return pending[row.id] !== undefined && problem === undefined && missing.length === 0;
  });
  assert.equal(
    done.map(({ row }) => row.id),
    [],
  );
});

test.run();
