import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../../runtime/errors.ts";
import { printJson } from "../../../../runtime/message/json.ts";
import { inspectParseLog } from "../../../../runtime/processors/parse-log/inspect.ts";
import { readRfc3164 } from "../../../../runtime/processors/parse-log/rfc3164.ts";
import { readRfc5424 } from "../../../../runtime/processors/parse-log/rfc5424.ts";

type Case = readonly [format: string, line: string, outcome: string];

const cases: readonly Case[] = JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8"));
const reading = { allowsRfc3339: true, year: () => 2024, zone: "UTC", bestEffort: true };

function read(format: string, line: string) {
  return format === "rfc3164" ? readRfc3164(line, reading) : readRfc5424(line);
}

test("lines are parsed as in the reference", () => {
  for (const [format, line, outcome] of cases) assert.is(run(format, line), outcome, `${format} ${line}`);
});

function run(format: string, line: string): string {
  try {
    return printJson(read(format, line));
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return '{"error"}';
  }
}

test("a process id ends at its own bracket", () => {
  const { procid, message } = readRfc3164("<34>Oct 11 22:14:15 h app[1]: see [y] z", reading);
  assert.equal([procid, message], ["1", "see [y] z"]);
});

test("times without a year or a zone use those of the options", () => {
  const line = "<34>Feb 29 23:30:00 h m";
  const berlin = { ...reading, year: () => 2023, zone: "Europe/Berlin" };
  assert.is(readRfc3164(line, berlin).timestamp, "2023-03-02T00:30:00+01:00");
  assert.throws(
    () => readRfc3164("<34>2018-01-12T22:14:15Z h m", { ...reading, allowsRfc3339: false }),
    /a Stamp timestamp/,
  );
  assert.throws(
    () => readRfc3164("<34>Oct 11 22:14:15 h m\n", { ...reading, bestEffort: false }),
    /control characters/,
  );
});

test("without best_effort an incomplete line fails, and its fields are typed accordingly", () => {
  for (const line of ["<34>1 x", "<34>Oct 11 22:14:15", "<34>2018-01-12T22:14:15Z"]) {
    assert.throws(() => readRfc3164(line, { ...reading, bestEffort: false }), /^expecting a (RFC3339|space)/);
  }
  const produced = (written: object) => inspectParseLog({ format: "syslog_rfc3164", ...written }).produces;
  const always = ["priority", "facility", "severity"];
  assert.equal(Object(produced({})).required, always);
  assert.equal(Object(produced({ best_effort: false })).required, [...always, "timestamp"]);
});

test("arbitrary lines fail only their message, and in bounded time", () => {
  const piece = fc.constantFrom(
    "<34>1 ",
    "- ",
    "[a ",
    'x="',
    "\\",
    '"',
    "]",
    "Oct 11 22:14:15 ",
    "h ",
    "app[",
    ": ",
    "\n",
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const format of ["rfc3164", "rfc5424"]) run(format, pieces.join(""));
    }),
    { seed: 3, numRuns: 500 },
  );
  const long = `<1>1 - - - - - [a x="${"\\\\".repeat(50_000)}`;
  assert.throws(() => readRfc5424(long), /structured data parameter/);
  assert.is(run("rfc3164", `<34>Oct 11 22:14:15 h app[${"]".repeat(50_000)}`).slice(0, 12), '{"appname":"');
});

test.run();
