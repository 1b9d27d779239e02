import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../../runtime/errors.ts";
import { parseJsonText, printJson } from "../../../../runtime/message/json.ts";
import { compileJmespath, JmespathSyntaxError } from "../../../../runtime/processors/jmespath/parser.ts";
import { fromDocument, toDocument } from "../../../../runtime/processors/jq/values.ts";

type Case = readonly [expression: string, input: string, outcome: string];

const cases: readonly Case[] = JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8"));

test("expressions select the same as in the reference", () => {
  for (const [expression, input, outcome] of cases)
    assert.is(run(expression, input), outcome, `${expression} of ${input}`);
});

function run(expression: string, input: string): string {
  const parsed = parseJsonText(input);
  if ("reason" in parsed) throw new Error(parsed.reason);
  try {
    return `{"out":${printJson(toDocument(compileJmespath(expression)(fromDocument(parsed.value))))}}`;
  } catch (error) {
    if (!(error instanceof MappingError) && !(error instanceof JmespathSyntaxError)) throw error;
    return '{"error"}';
  }
}

test("large integers keep their digits, and special key names are ordinary keys", () => {
  assert.is(
    run("{id: id, sum: sum(l)}", '{"id":9007199254740993,"l":[9007199254740993,1]}'),
    '{"out":{"id":9007199254740993,"sum":9007199254740994}}',
  );
  assert.is(run("__proto__.a", '{"__proto__":{"a":1}}'), '{"out":1}');
  assert.is(run("{__proto__: a}", '{"a":1}'), '{"out":{"__proto__":1}}');
  assert.is(run("constructor", "{}"), '{"out":null}');
});

test("invalid expressions are rejected with the reason", () => {
  for (const [expression, reason] of [
    ["a.", "unexpected end of the expression"],
    ["a b", 'unexpected "b"'],
    ["nosuch(@)", "unknown function `nosuch`"],
    ["abs(@, @)", "`abs` takes 1 arguments, got 2"],
    ["sort_by(@, a)", "argument 2 of `sort_by` is a reference (`&`)"],
    ["a[::0]", "the step of a slice is 0"],
    ["(".repeat(10_000), "the expression is nested too deeply"],
    ["#", 'unexpected character at 1: "#"'],
    ["`nul`", "`nul` is not JSON"],
    ["`1e400`", "`1e400` has a number that is out of range"],
  ])
    assert.throws(
      () => compileJmespath(expression ?? ""),
      ({ message }: Error) => message === reason,
      expression,
    );
});

test.run();
