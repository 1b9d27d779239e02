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

test("a wait that is not ended times out once, never before its limit", async () => {
  const limits = new TimeLimits(40);
  const wait = new Wait();
  const began = performance.now();
  limits.begin(wait);
  await until(() => wait.timeouts > 0);
  assert.ok(performance.now() - began >= 40);
  assert.is(wait.timeouts, 1);
});

test("waits that were ended never time out, whichever they are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (ends) => {
      const limits = new TimeLimits(8);
      const waits = ends.map(() => new Wait());
      for (const wait of waits) limits.begin(wait);
      waits.forEach((wait, index) => {
        if (ends[index]) limits.end(wait);
      });
      await until(() => waits.every((wait, index) => wait.timeouts === (ends[index] ? 0 : 1)));
      for (const wait of waits) limits.end(wait); // again does nothing
    }),
    { seed: 1, numRuns: 10 },
  );
});

test("a wait may begin again after its end", async () => {
  const limits = new TimeLimits(8);
  const [first, second] = [new Wait(), new Wait()];
  limits.begin(first);
  limits.begin(second);
  limits.end(first);
  limits.begin(first);
  await until(() => first.timeouts === 1 && second.timeouts === 1);
});

test("without waits no timer keeps the process", async () => {
  const limits = new TimeLimits(8);
  const wait = new Wait();
  limits.begin(wait);
  limits.end(wait);
  assert.not(limits.isIdle);
  await until(() => limits.isIdle);
  assert.is(wait.timeouts, 0);
});

test.run();
