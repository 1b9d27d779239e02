// Queries of jq: the results of the reference's library in `cases.json`, and what a message must not cause.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseJsonText, printJson } from "../../../../runtime/message/json.ts";
import { compileJq } from "../../../../runtime/processors/jq/jq.ts";
import { fromDocument, type JqValue, toDocument } from "../../../../runtime/processors/jq/values.ts";

/** A query, its input as JSON, and the result of the reference: `{"out": …}`, `{"error": …}` or `{"marshal": …}`. */
type Case = readonly [query: string, input: string, outcome: string];

const cases: readonly Case[] = JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8"));

test("queries yield the same as in the reference, including failures", () => {
  for (const [query, input, outcome] of cases)
    assert.is(run(query, input), plain(outcome), `${query} of ${input}`);
});

test("localtime has the offset of the zone of the process at every instant", () => {
  const zone = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  try {
    for (const [seconds, outcome] of [
      ["1718000000.5", "[2024,5,10,8,13,20.5,1,161]"],
      // Local mean time has seconds.
      ["-3000000000", "[1874,11,7,19,33,28,1,340]"],
      ["1e13", "[318857,4,20,19,46,40,0,139]"],
    ] as const)
      assert.is(run("localtime", seconds), `{"out":[${outcome}]}`, seconds);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

/** Returns the result of a query, in the form of the cases. */
function run(query: string, input: string): string {
  const parsed = parseJsonText(input);
  if ("reason" in parsed) throw new Error(parsed.reason);
  try {
    const values = compileJq(query)(fromDocument(parsed.value), { k: "v" }, 1e7);
    const text = printJson(toDocument([...values]));
    return text === "" ? '{"marshal"}' : `{"out":${text}}`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `{"error":${printJson(error.message)}}`;
  }
}

/** Removes escapes that only the reference's printer writes, and its wording about numbers that JSON lacks. */
function plain(outcome: string): string {
  if (outcome.startsWith('{"marshal"')) return '{"marshal"}';
  return outcome.replace(/\\u00(3c|3e|26)/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const nested: JqValue = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);

/** Queries that would not end or would need all memory, with the message of their failure. */
const hostile: readonly (readonly [query: string, input: JqValue, reason: RegExp])[] = [
  ["[range(.)]", 1e15, /more than 1000000 steps/],
  ["repeat(.)", 1, /more than 1000000 steps/],
  ["until(. == 0; . - 1)", 0.5, /more than 1000000 steps/],
  ["try [range(.)] catch 1", 1e15, /more than 1000000 steps/],
  [".[.[0]] = 1", [100_000_000], /more than 1000000 steps/],
  ["reduce range(.) as $i ([1]; . + .)", 60, /more than 1000000 steps/],
  ['reduce range(.) as $i ("a"; . + .)', 60, /longer than the limit/],
  ["reduce range(.) as $i (3; . * .)", 100, /too many digits/],
  ["def f: [f]; f", null, /too deep/],
  ["[., .] | .[0] == .[1]", nested, /too deep/],
  ["flatten", nested, /too deep/],
  ["tojson", nested, /too deep/],
];

test("message content cannot make a query run forever", () => {
  for (const [query, input, reason] of hostile)
    assert.throws(
      () => compileJq(query)(input, {}, 1_000_000),
      ({ message }: Error) => reason.test(message),
      query,
    );
});

test("patterns take linear time, and recursion needs no stack", () => {
  const text = `${"a".repeat(50_000)}b`;
  assert.equal(compileJq('test("(a+)+$")')(text, {}, 1e7), [false]);
  assert.equal(compileJq('gsub("a"; "c") | length')(text, {}, 1e7), [50_001]);
  assert.equal(compileJq("[..] | length")(nested, {}, 1e7), [100_000]);
});

test("special key names are ordinary keys", () => {
  const input = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}');
  const [made] = compileJq(".__proto__.x += 1 | .toString = 3 | del(.constructor) | .valueOf")(
    input,
    {},
    1e7,
  );
  assert.is(made, null);
  const [changed = null] = compileJq(".__proto__.x += 1 | {a: .}")(input, {}, 1e7);
  assert.is(printJson(toDocument(changed)), '{"a":{"__proto__":{"x":2},"constructor":2}}');
  assert.is(Object.getPrototypeOf({}), Object.prototype);
});

test("deeply nested queries are rejected when they are compiled", () => {
  for (const query of [
    `${"[".repeat(10_000)}1${"]".repeat(10_000)}`,
    "-".repeat(10_000),
    "{a:".repeat(10_000),
  ])
    assert.throws(() => compileJq(query), /nested too deeply/);
});

test.run();
