// Runs every row of the conformance data once. Each row passes or is listed in skips.json with a reason. A listed row that
// passes is a failure, so that the list only shrinks.

import { readFileSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { execute } from "./execute.ts";
import { type Row, readRows } from "./rows.ts";

process.env.TZ = "UTC";

/** The largest share of rows that may be skipped. */
const largestShare = 0.02;

interface Result {
  readonly row: Row;
  /** The reason of the failure; `undefined` if the row passes. */
  readonly problem: string | undefined;
}

function readSkips(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL("skips.json", import.meta.url), "utf8");
  // A record of reasons by id: the test below fails for ids that no row has.
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

function runRow(row: Row): Result {
  try {
    return { row, problem: execute(row) };
  } catch (error) {
    // Any other error is a failure of this row, reported with its text.
    return { row, problem: `threw ${error instanceof Error ? error.stack : error}` };
  }
}

const skips = readSkips();
// In the order of the data, because counters of the process depend on it.
const results = readRows().map(runRow);

for (const [mode, rows] of Map.groupBy(results, ({ row }) => row.mode)) {
  const skipped = rows.filter(({ row }) => skips.has(row.id)).length;
  const passed = rows.filter(({ problem }) => problem === undefined).length;
  console.log(`${mode}: ${passed} passed, ${skipped} skipped, of ${rows.length}`);
}
for (const [id, reason] of skips) console.log(`skipped ${id}: ${reason}`);

for (const { row, problem } of results) {
  // Only failing rows are skipped: a row that passes has to be removed from the list.
  if (skips.has(row.id) && problem !== undefined) test.skip(row.id, () => {});
  else test(row.id, () => checkRow(row, problem));
}

function checkRow(row: Row, problem: string | undefined): void {
  assert.is(problem, undefined, `${row.id}\n  ${row.mapping}\n  ${problem}`);
  assert.not(skips.has(row.id), `${row.id} passes now: remove it from skips.json`);
}

test("skips.json names existing rows, within the limit, each with a reason", () => {
  const ids = new Set(results.map(({ row }) => row.id));
  assert.is(ids.size, results.length, "ids are unique");
  assert.equal(
    [...skips.keys()].filter((id) => !ids.has(id)),
    [],
  );
  for (const [id, reason] of skips) assert.ok(reason.length > 20, `${id} has no reason`);
  assert.ok(skips.size <= results.length * largestShare, `${skips.size} of ${results.length} are skipped`);
});

test.run();
