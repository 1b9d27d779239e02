import { test } from "uvu";
import * as assert from "uvu/assert";
import { slopePerHour } from "./slope.ts";

const hour = 3_600_000;

test("the slope of a line does not depend on the absolute time", () => {
  const now = Date.UTC(2026, 0, 1);
  const samples = [0, 0.25, 0.5, 2].map((hours) => ({ at: now + hours * hour, value: 100 + 12 * hours }));
  assert.is(Math.round(slopePerHour(samples) * 1000), 12_000);
});

test("values that oscillate around a level have no slope", () => {
  const samples = [0, 1, 2, 3, 4].map((at) => ({ at: at * hour, value: at % 2 === 0 ? 90 : 110 }));
  assert.is(Math.round(slopePerHour(samples) * 1000), 0);
});

test("samples of one moment have no slope, nor have no samples", () => {
  assert.is(slopePerHour([]), 0);
  assert.is(
    slopePerHour([
      { at: 5, value: 1 },
      { at: 5, value: 2 },
    ]),
    0,
  );
});

test.run();
