import { test } from "uvu";
import * as assert from "uvu/assert";
import { timestampUnix, timestampUnixMicro } from "../../runtime/mapping/environment.ts";
import { wallTimeOf } from "../../runtime/process/wall-clock.ts";

const realNow = Date.now;
const minute = 60_000;

test.after.each(() => {
  Date.now = realNow;
});

test("mappings and spans follow changes of the system clock, in both directions", () => {
  for (const offset of [0, minute, -minute, 0]) {
    Date.now = () => realNow() + offset;
    const before = Date.now();
    const [seconds, wall] = [Number(timestampUnix()), wallTimeOf(performance.now())];
    const after = Date.now();
    assert.ok(seconds * 1000 > before - 2000 && seconds * 1000 < after + 2000, `${seconds} s`);
    assert.ok(wall > before - 1000 && wall < after + 1000, `${wall} ms`);
  }
});

test("the difference of two times is that of the monotonic clock", () => {
  const begin = performance.now();
  assert.is(Math.round((wallTimeOf(begin + 0.25) - wallTimeOf(begin)) * 1000), 250);
});

test("times are more precise than the milliseconds of the system clock", () => {
  const fractions = Array.from({ length: 200 }, () => Number(timestampUnixMicro()) % 1000);
  assert.ok(new Set(fractions).size > 1, `${fractions}`);
});

test.run();
