// Regression tests for what the campaigns found: a later seed may never produce the same text again.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../compiler/embed/errors.ts";
import { compileMapping } from "../../compiler/embed/scripts.ts";

function map(source: string, content = "{}"): string {
  const result = compileMapping(source).run({ content });
  return result === null ? "deleted" : Buffer.from(result.content).toString("utf8");
}

function failure(source: string): string {
  try {
    return `gave ${map(source)}`;
  } catch (error) {
    assert.instance(error, MappingError);
    return String(error instanceof Error && error.message);
  }
}

test("an unused object literal is not parsed as a block of statements", () => {
  assert.is(map("let v = match null { null => {(content()): content()}, _ => this }"), "{}");
});

test("a pattern that the reference engine does not fold is a condition", () => {
  assert.is(map("root = match this { !(false) => 1, _ => 2 }", "5"), "1");
  assert.is(map("root = match this { true && true => 1, _ => 2 }", "5"), "1");
  assert.is(map("root = match this { false || true => 1, _ => 2 }", "5"), "1");
  assert.is(map("root = match this { null | true => 1, _ => 2 }", "5"), "1");
  // Comparisons and arithmetic are folded: the pattern is compared with their result.
  assert.is(map("root = match this { 1 == 1 => 1, _ => 2 }", "5"), "2");
  assert.is(map("root = match this { 2 + 3 => 1, _ => 2 }", "5"), "1");
});

test("results too large for the process fail with the message of the language", () => {
  const line = "failed assignment (line 1): ";
  assert.is(failure("root = range(0, 9223372036854775807)"), `${line}result of range would be too large`);
  assert.is(failure("root = bytes(99999999999)"), `${line}result of bytes would be too large`);
  assert.is(failure("root = nanoid(99999999999)"), `${line}result of nanoid would be too large`);
  assert.is(
    failure('root = range(0, 40).fold("a", i -> i.tally + i.tally)'),
    `${line}function range: the result would be too large`,
  );
  assert.is(map('root = range(0, 40).fold("a", i -> i.tally + i.tally).catch("big")'), "big");
});

test("deeply nested JSON in strings fails with a MappingError", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const compiled = compileMapping("root = content().string().parse_json()");
  assert.throws(
    () => compiled.run({ content: deep }),
    (error: unknown) => error instanceof MappingError,
  );
});

test("widths and precisions of format have the limits of the reference engine", () => {
  assert.is(map('root = "%099999999999d".format(5)'), "%!(NOVERB)%!(EXTRA int64=5)");
  assert.is(map('root = "%.99999999999f a".format(5.5)'), "%!(NOVERB)%!(EXTRA float64=5.5)");
  assert.is(map('root = "%05d|%-4s|%.2f".format(5, "a", 1.5)'), "00005|a   |1.50");
});

test.run();
