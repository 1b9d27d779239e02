import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Ordering } from "../../../runtime/concurrency/ordering.ts";

interface Work {
  readonly keys: readonly number[];
  readonly partition: number;
  /** Milliseconds; `undefined` if the work is synchronous. */
  readonly time: number | undefined;
  readonly fails: boolean;
}

const works = fc.array(
  fc.record({
    keys: fc.uniqueArray(fc.nat(3), { maxLength: 2 }),
    partition: fc.nat(1),
    time: fc.option(fc.nat(4), { nil: undefined }),
    fails: fc.boolean(),
  }),
  { maxLength: 30 },
);

/** Starts all work immediately. Returns the indexes in the order of delivery, and how many works of one key overlapped. */
async function runAll(given: readonly Work[]) {
  const ordering = new Ordering();
  const handed: number[] = [];
  const processing = new Map<number, number>();
  let overlaps = 0;
  const outcomes = given.map(async ({ keys, partition, time, fails }, place) =>
    ordering.run({
      sequences: () => [
        ...keys.map((key) => ({ name: `key ${key}`, isKey: true })),
        { name: `partition ${partition}`, isKey: false },
      ],
      process: () => {
        for (const key of keys) {
          if ((processing.get(key) ?? 0) > 0) overlaps += 1;
          processing.set(key, (processing.get(key) ?? 0) + 1);
        }
        const end = () => {
          for (const key of keys) processing.set(key, (processing.get(key) ?? 0) - 1);
          if (fails) throw new Error("failed");
          return place;
        };
        return time === undefined ? end() : pause(time).then(end);
      },
      handOver: (processed) => {
        handed.push(processed);
        return processed;
      },
    }),
  );
  const settled = await Promise.allSettled(outcomes);
  return { handed, overlaps, settled };
}

test("work of one sequence is handed over in order, and work of one key runs serially", async () => {
  await fc.assert(
    fc.asyncProperty(works, async (given) => {
      const { handed, overlaps, settled } = await runAll(given);
      assert.is(overlaps, 0);
      assert.equal(
        settled.map(({ status }) => status === "rejected"),
        given.map(({ fails }) => fails),
      );
      assert.is(handed.length, given.filter(({ fails }) => !fails).length);
      for (const name of ["p0", "p1", "k0", "k1", "k2", "k3"]) {
        const own = handed.filter((place) => isOf(given[place], name));
        assert.equal(
          own,
          own.toSorted((a, b) => a - b),
          name,
        );
      }
    }),
    { seed: 11, numRuns: 60 },
  );
});

function isOf(work: Work | undefined, name: string): boolean {
  const number = Number(name[1]);
  return name.startsWith("p") ? work?.partition === number : work?.keys.includes(number) === true;
}

test("synchronous work is handed over immediately, without computing its sequences", () => {
  const ordering = new Ordering();
  const handed = ordering.run({
    sequences: () => {
      throw new Error("asked for");
    },
    process: () => "done",
    handOver: (processed) => processed,
  });
  assert.is(handed, "done");
});

test("work of different keys runs concurrently", async () => {
  const ordering = new Ordering();
  const gates = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const handed: number[] = [];
  const runs = gates.map(({ promise }, index) =>
    ordering.run({
      sequences: () => [{ name: String(index), isKey: true }],
      process: () => promise,
      handOver: (processed) => void handed.push(processed),
    }),
  );
  gates[1]?.resolve(1);
  await runs[1];
  assert.equal(handed, [1]);
  gates[0]?.resolve(0);
  await runs[0];
  assert.equal(handed, [1, 0]);
});

test.run();
