import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Limited, TimeLimits } from "../../../runtime/concurrency/time-limits.ts";
import { until } from "../../harness/wait.ts";

class Wait extends Limited {
  timeouts = 0;

  onTimeout(): void {
    this.timeouts += 1;
  }
}

test("a pending wait times out once, never before its limit", async () => {
  const limits = new TimeLimits(40);
  const wait = new Wait();
  const began = performance.now();
  limits.begin(wait);
  await until(() => wait.timeouts > 0);
  assert.ok(performance.now() - began >= 40);
  assert.is(wait.timeouts, 1);
});

test("waits that have ended never time out, in any combination", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (ends) => {
      const limits = new TimeLimits(8);
      const waits = ends.map(() => new Wait());
      for (const wait of waits) limits.begin(wait);
      waits.forEach((wait, index) => {
        if (ends[index]) limits.end(wait);
      });
      await until(() => waits.every((wait, index) => wait.timeouts === (ends[index] ? 0 : 1)));
      for (const wait of waits) limits.end(wait); // a second call does nothing
    }),
    { seed: 1, numRuns: 10 },
  );
});

test("a wait may start again after its end", async () => {
  const limits = new TimeLimits(8);
  const [first, second] = [new Wait(), new Wait()];
  limits.begin(first);
  limits.begin(second);
  limits.end(first);
  limits.begin(first);
  await until(() => first.timeouts === 1 && second.timeouts === 1);
});

test("without waits no timer keeps the process alive", async () => {
  const limits = new TimeLimits(8);
  const wait = new Wait();
  limits.begin(wait);
  limits.end(wait);
  assert.not(limits.isIdle);
  await until(() => limits.isIdle);
  assert.is(wait.timeouts, 0);
});

test("an early-firing wait times out by its limit, and can restart", async () => {
  const limits = TimeLimits.endingBy(45);
  const began = performance.now();
  const times: number[] = [];
  class Beat extends Limited {
    onTimeout(): void {
      times.push(performance.now() - began);
      if (times.length < 3) limits.begin(this);
    }
  }
  limits.begin(new Beat());
  await until(() => times.length === 3);
  // Eight ticks of 5 ms each; the first tick may already be almost over.
  const least = times.map((_, index) => (index + 1) * 35);
  assert.equal(
    times.map((time, index) => time >= (least[index] ?? 0)),
    [true, true, true],
  );
});

test("a timer keeps the process alive until the last wait leaves, and again for the next", () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const limits = new TimeLimits(60_000);
  const [one, other] = [new Wait(), new Wait()];
  limits.begin(one);
  limits.begin(other);
  limits.leave(one);
  assert.is(timers(), before + 1);
  limits.leave(other);
  assert.is(timers(), before);
  limits.leave(other);
  limits.begin(one);
  assert.is(timers(), before + 1);
  limits.end(one);
  limits.close();
  limits.begin(other);
  assert.is(timers(), before + 1);
  limits.leave(other);
  limits.close();
  assert.is(timers(), before);
  assert.ok(limits.isIdle);
});

test("a timer that was left stops at its next tick", async () => {
  const limits = new TimeLimits(8);
  const wait = new Wait();
  limits.begin(wait);
  limits.leave(wait);
  assert.not(limits.isIdle);
  await until(() => limits.isIdle);
});

test.run();
