import { test } from "uvu";
import * as assert from "uvu/assert";
import { attemptLevel, backoffDelay, createBackoff } from "../../../runtime/concurrency/backoff.ts";

const bounds = { first: 1_000, longest: 600_000 };

function isWithin(delay: number, step: number): boolean {
  return delay >= step / 2 && delay <= step;
}

test("delays double up to the maximum, each between half and the whole of its step", () => {
  for (const [failures, step] of [
    [0, 1_000],
    [1, 2_000],
    [9, 512_000],
    [10, 600_000],
    [1_000_000, 600_000],
  ] as const) {
    assert.ok(isWithin(backoffDelay(failures, bounds), step), String(failures));
  }
});

test("a backoff counts failures and resets after a success", () => {
  const backoff = createBackoff(bounds);
  for (const step of [1_000, 2_000, 4_000]) assert.ok(isWithin(backoff.next(), step), String(step));
  backoff.reset();
  assert.ok(isWithin(backoff.next(), 1_000));
});

test("an attempt is a warning if its reason is new or its number is a power of ten", () => {
  const levels = [1, 2, 9, 10, 11, 100].map((attempt) => attemptLevel(attempt, true));
  assert.equal(levels, ["warn", "debug", "debug", "warn", "debug", "warn"]);
  assert.is(attemptLevel(7, false), "warn");
});

test.run();
