// Small messages that claim to be large cost little: a separate process reads each of them.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot } from "../harness/directories.ts";
import { argumentBombs } from "./bombs/arguments.ts";
import { bombs } from "./bombs/bombs.ts";
import { readerNames } from "./growth/readers.ts";

/**
 * The limits for one message: the time of fixed pieces of work (`run.ts`), each of which takes 20 to 26 ms on an idle
 * machine, and megabytes.
 */
const most = { yardsticks: 60, megabytes: 256 };

/** Components whose messages are pieces of the source, so that a source cannot claim more than its size. */
const withoutBombs = [
  "processor parquet_encode",
  "processor parse_log",
  "scanner chunker",
  "scanner lines",
  "scanner re_match",
  "scanner skip_bom",
  "scanner switch",
];

interface Cost {
  readonly name: string;
  readonly milliseconds?: number;
  readonly yardstick?: number;
  readonly megabytes?: number;
  readonly error?: string;
}

test("a message of some KB takes bounded time and at most 256 MB, and crashes no process", async () => {
  const script = `${projectRoot}/test/review/bombs/run.ts`;
  const child = spawn(process.execPath, ["--expose-gc", "--max-old-space-size=600", script]);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = output
    .trim()
    .split("\n")
    .map((line): Cost => JSON.parse(line));
  const costs = lines.filter(({ milliseconds }) => milliseconds !== undefined);
  assert.equal(
    costs.map(({ name }) => name),
    [...bombs, ...argumentBombs].map(({ name }) => name),
    `${lines.at(-1)?.name}: ${errors.slice(-500)}`,
  );
  const found = lines.filter(
    ({ milliseconds = 0, yardstick = 0, megabytes = 0, error }) =>
      milliseconds > most.yardsticks * yardstick || megabytes > most.megabytes || error !== undefined,
  );
  assert.equal(found, []);
});

test("each reader of external content has bomb messages, or is listed as unable to have any", () => {
  const known = bombs.map(({ name }) => {
    const [first = "", second = ""] = name.split(/[ :]+/);
    return first === "scanner" ? `scanner ${second}` : `processor ${first}`;
  });
  assert.equal(
    readerNames.filter((name) => !known.includes(name) && !withoutBombs.includes(name)),
    [],
  );
});

test.run();
