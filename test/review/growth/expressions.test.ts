import { test } from "uvu";
import * as assert from "uvu/assert";
import { findExpressions } from "./expressions.ts";
import { analyse, computed, idleExcuses, readVerdicts, unexcused, writeVerdicts } from "./verdicts.ts";

const { expressions, computing } = await findExpressions();
const held = expressions.filter((expression) => unexcused(expression).length > 0);

/** Analyses expressions without a verdict, which takes seconds for each, and removes verdicts without an expression. */
function update(): void {
  const known = readVerdicts();
  const verdicts = held.map((expression) => {
    const { text } = expression;
    if (known.linear.includes(text)) return [text, "linear"] as const;
    return [text, known.undecided.includes(text) ? "undecided" : analyse(expression)] as const;
  });
  const having = (verdict: string) => verdicts.filter(([, each]) => each === verdict).map(([text]) => text);
  writeVerdicts({ linear: having("linear"), undecided: having("undecided") });
}

if (process.env.UPDATE === "1") update();

test("every regular expression applied to external text is proved linear, or measured", () => {
  const { linear, undecided } = readVerdicts();
  const known = new Set([...linear, ...undecided]);
  const fresh = held.filter(({ text }) => !known.has(text));
  const reported = fresh.map((expression) => {
    const verdict = analyse(expression);
    const advice = typeof verdict === "string" ? `${verdict}; write it down with UPDATE=1` : verdict.attack;
    return `${expression.text} in ${unexcused(expression).join(", ")}: ${advice}`;
  });
  assert.is(reported.join("\n"), "");
  const texts = new Set(held.map(({ text }) => text));
  assert.equal(
    [...known].filter((text) => !texts.has(text)),
    [],
    "verdicts on expressions that are there no more; UPDATE=1 drops them",
  );
});

test("control: the analyser detects slow expressions", () => {
  for (const source of ["\\s+$", "^(a+)+$", "(?:<[^>]*>|[^,<])+", "^\\d+\\.?\\d*$"]) {
    const verdict = analyse({ text: source, source, flags: "", modules: new Set() });
    assert.type(typeof verdict === "string" ? verdict : verdict.attack, "string");
    assert.type(verdict, "object", source);
  }
});

test("no regular expression is built from external input", () => {
  assert.equal([...computing].sort(), Object.keys(computed).sort());
});

test("every exception is needed", () => {
  assert.equal(idleExcuses(expressions), []);
});

test("control: the search covers expressions of the runtime, of packages and of emitted code", () => {
  const modules = [...new Set(expressions.flatMap((each) => [...each.modules]))];
  for (const start of [
    "runtime/mapping/",
    "runtime/connectors/",
    "node_modules/transliteration/",
    "node_modules/yaml/",
  ]) {
    assert.ok(
      modules.some((module) => module.startsWith(start)),
      start,
    );
  }
});

test.run();
