import { test } from "uvu";
import * as assert from "uvu/assert";
import { knownEffects } from "../../compiler/check/flow/effects.ts";
import { knownFailures } from "../../compiler/check/flow/failures/own-failures.ts";
import { processors } from "../../schemas/catalogue.ts";

/** Processors that messages are followed through step by step, so that they need no row among the effects. */
const followed = [
  "branch",
  "cached",
  "catch",
  "for_each",
  "group_by",
  "mapping",
  "mutation",
  "parallel",
  "processors",
  "retry",
  "switch",
  "try",
  "while",
  "workflow",
];

test("of every processor it is known what it makes of messages", () => {
  const forgotten = Object.keys(processors).filter(
    (name) => !knownEffects.has(name) && !followed.includes(name),
  );
  assert.equal(forgotten, []);
});

test("of every processor it is known whether it can fail by itself", () => {
  assert.equal(
    Object.keys(processors).filter((name) => !knownFailures.has(name)),
    [],
  );
});

test.run();
