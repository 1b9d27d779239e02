import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseDuration as parseInRuntime } from "../../runtime/text/duration.ts";
import { parseDuration } from "../../schemas/duration.ts";

test("amounts with units add up", () => {
  assert.is(parseDuration("5s"), 5_000);
  assert.is(parseDuration("1m30s"), 90_000);
  assert.is(parseDuration("1.5h"), 5_400_000);
  assert.is(parseDuration(".5s"), 500);
  assert.is(parseDuration("300ms"), 300);
  assert.is(parseDuration("-2s"), -2_000);
  assert.is(parseDuration("0"), 0);
});

test("any other text is not a duration", () => {
  for (const text of ["", "5", "s", "5 s", "5 parsecs", "1d", "+", "1..5s", "constructor", "5toString"]) {
    assert.is(parseDuration(text), undefined, text);
  }
});

test("durations have the same range as in Go", () => {
  for (const parse of [parseDuration, parseInRuntime]) {
    assert.is(parse("2562047h47m16s"), 9_223_372_036_000);
    assert.is(parse("-2562047h47m16s"), -9_223_372_036_000);
    for (const text of [
      "2562048h",
      "-2562048h",
      "2562047h48m",
      `${"9".repeat(400)}s`,
      `-${"9".repeat(400)}ns`,
    ])
      assert.is(parse(text), undefined, text);
  }
});

test.run();
