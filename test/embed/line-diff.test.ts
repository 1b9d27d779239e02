import { test } from "uvu";
import * as assert from "uvu/assert";
import { lineDiff } from "../../compiler/embed/unit-tests/line-diff.ts";

const lines = (...numbers: readonly (number | string)[]) => numbers.join("\n");

test("expected lines begin with a minus, actual lines with a plus", () => {
  assert.equal(lineDiff("a", "b"), ["- a", "+ b"]);
  assert.equal(lineDiff(lines(1, 2, 3), lines(1, 3)), ["  1", "- 2", "  3"]);
  assert.equal(lineDiff(lines(1, 3), lines(1, 2, 3)), ["  1", "+ 2", "  3"]);
});

test("lines far from any difference are omitted", () => {
  const expected = lines(1, 2, 3, 4, 5, 6, 7, 8, 9);
  assert.equal(lineDiff(expected, lines(1, 2, 3, 4, "x", 6, 7, 8, 9)), [
    "  …",
    "  3",
    "  4",
    "- 5",
    "+ x",
    "  6",
    "  7",
    "  …",
  ]);
});

test("unchanged lines between two differences are kept", () => {
  assert.equal(lineDiff(lines("a", 1, 2, 3, "b"), lines("x", 1, 2, 3, "y")), [
    "- a",
    "+ x",
    "  1",
    "  2",
    "  3",
    "- b",
    "+ y",
  ]);
});

test("texts of many thousand lines are compared without comparing every pair of lines", () => {
  const many = Array.from({ length: 5000 }, (_, index) => `expected ${index}`).join("\n");
  const others = many.replaceAll("expected", "actual");
  assert.is(lineDiff(many, others).length, 10_000);
});

test.run();
