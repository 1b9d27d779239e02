// Takes correct documents, makes one mistake at a time, and requires the checker to report it on its line.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { readCorrectDocuments } from "./correct-documents.ts";
import { findMistakes } from "./find-mistakes.ts";
import { kinds } from "./kinds.ts";
import { renderReport, shareOf } from "./report.ts";

/** The number of mistakes of each kind, spread over all documents; `MUTATIONS=all` makes every possible one. */
const mostPerKind = process.env.MUTATIONS === "all" ? Number.POSITIVE_INFINITY : 6;

const results = await findMistakes(kinds, readCorrectDocuments(), mostPerKind);
console.log(renderReport(results));

test("at least 40 kinds of mistakes can be made", () => {
  assert.ok(kinds.length >= 40);
  assert.is(new Set(kinds.map(({ name }) => name)).size, kinds.length);
  for (const { kind, attempts } of results) assert.ok(attempts.length > 0, `nothing to try "${kind}" on`);
});

test("at least 95 % of mistakes are reported on the right line", () => {
  const share = shareOf(results.flatMap(({ attempts }) => attempts));
  assert.ok(share >= 0.95, `only ${(share * 100).toFixed(1)} %`);
});

for (const { kind, attempts } of results) {
  test(`at least 80 % are reported: ${kind}`, () => assert.ok(shareOf(attempts) >= 0.8));
}

test.run();
