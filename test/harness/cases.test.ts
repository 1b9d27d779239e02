import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "./directories.ts";
import { type Outcome, run } from "./processes.ts";

const root = temporaryDirectory("cases");
for (const name of ["one-word", "two-words"]) {
  mkdirSync(join(root, name));
  writeFileSync(join(root, name, "input.txt"), `${name}\n`);
}
const program = `
  import { cases } from ${JSON.stringify(import.meta.resolve("./cases.ts"))};
  cases(${JSON.stringify(root)}, ({ read, expectFile }) => {
    expectFile("output.txt", read("input.txt").toUpperCase());
  });`;

function walk(env: Record<string, string> = {}): Promise<Outcome> {
  const settings = { UPDATE: "", CI: "", SLUICE_TEST_WORDS: "", NO_COLOR: "1", ...env };
  return run(process.execPath, ["--input-type=module", "--eval", program], { env: settings });
}

test("a missing expectation fails, and UPDATE=1 writes it", async () => {
  const missing = await walk();
  assert.is(missing.status, 1);
  assert.match(missing.stdout, "one-word/output.txt is missing");
  assert.is((await walk({ UPDATE: "1" })).status, 0);
  assert.is(readFileSync(join(root, "two-words/output.txt"), "utf8"), "TWO-WORDS\n");
  assert.is((await walk()).status, 0);
});

test("any difference, including indentation, fails and names the file", async () => {
  writeFileSync(join(root, "one-word/output.txt"), "  ONE-WORD\n");
  const outcome = await walk();
  assert.is(outcome.status, 1);
  assert.match(outcome.stdout, "one-word/output.txt differs");
});

test("UPDATE=1 is rejected in CI", async () => {
  assert.is((await walk({ UPDATE: "1", CI: "true" })).status, 1);
});

test("SLUICE_TEST_WORDS selects cases whose names contain all words, or every case if none does", async () => {
  assert.match((await walk({ SLUICE_TEST_WORDS: "two" })).stdout, /Total: +1\n/);
  assert.match((await walk({ SLUICE_TEST_WORDS: "none-has-this" })).stdout, /Total: +2\n/);
});

test.run();
