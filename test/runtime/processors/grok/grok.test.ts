import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../../runtime/errors.ts";
import { printJson } from "../../../../runtime/message/json.ts";
import { grokCompiler, objectOf, standardPatterns } from "../../../../runtime/processors/grok/expression.ts";

/** The mode `all` also captures patterns without names. */
type Case = readonly [expression: string, text: string, mode: string, outcome: string];

const cases: readonly Case[] = JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8"));
const plain = { definitions: {}, usesStandard: true, namedOnly: true };

test("expressions capture the same as in the reference", () => {
  for (const [expression, text, mode, outcome] of cases)
    assert.is(run(expression, text, mode !== "all"), outcome, `${expression} of ${text}`);
});

function run(expression: string, text: string, namedOnly: boolean): string {
  try {
    const values = grokCompiler({ ...plain, namedOnly })(expression).match(text, true) ?? [];
    return `{"out":${printJson(objectOf(values))}}`;
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return '{"error"}';
  }
}

test("every standard pattern can be used", () => {
  const compile = grokCompiler(plain);
  for (const name of Object.keys(standardPatterns))
    assert.ok(compile(`%{${name}:it}`).fields.has("it"), name);
});

test("invalid expressions are rejected with the reason", () => {
  const definitions = {
    LOOP: "a%{INNER}",
    INNER: "%{LOOP}",
    BIG: "%{B}%{B}",
    B: "%{C}%{C}",
    C: "x".repeat(300_000),
  };
  const compile = grokCompiler({ ...plain, definitions });
  for (const [expression, reason] of [
    ["%{NOSUCH}", /no pattern found for %\{NOSUCH\}/],
    ["%{LOOP}", /refers to itself/],
    ["%{BIG}", /too long/],
    ["(?<=a)b", /invalid/],
    ["(", /missing closing/],
  ] as const)
    assert.throws(
      () => compile(expression),
      ({ message }: Error) => reason.test(message),
      expression,
    );
});

test("matching takes linear time on texts that make backtracking engines slow", () => {
  const compile = grokCompiler({ ...plain, definitions: { NESTED: "(?:a+)+$" } });
  assert.is(compile("%{NESTED:a}").match(`${"a".repeat(50_000)}b`, true), undefined);
  assert.is(
    compile("%{GREEDYDATA:a}%{GREEDYDATA:b}%{GREEDYDATA:c}!").match("x".repeat(50_000), true),
    undefined,
  );
});

test.run();
