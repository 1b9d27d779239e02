import { strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { MappingError } from "sluice/component";
import { masked } from "../runtime/masked.ts";

test("all characters but the last ones are masked", () => {
  strictEqual(masked("4242424242424242", "this.card"), "************4242");
  strictEqual(masked("abc", "this.card", 1), "**c");
  strictEqual(masked("abc", "this.card", 0), "***");
  strictEqual(masked("abc", "this.card", 9), "abc");
});

test("what is no text is refused", () => {
  throws(() => masked(12, "this.card"), MappingError);
});
