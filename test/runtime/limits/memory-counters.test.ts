import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Claim, Counters, RateVerdict } from "../../../runtime/counters.ts";
import { createMemoryCounters } from "../../../runtime/limits/memory-counters.ts";
import { createExactCounters } from "./exact-counters.ts";

const second = 1_000_000;

/** Returns counters whose clock the test sets. */
function withClock(options: { most?: number; onGivenUp?: () => void } = {}) {
  const state = { time: 0 };
  const counters = createMemoryCounters({ ...options, clock: () => state.time });
  const take = (...claims: readonly Claim[]) => taken(counters, claims);
  return { state, take, counters };
}

function taken(counters: Counters, claims: readonly Claim[]): RateVerdict {
  const verdict = counters.take(claims);
  if (verdict instanceof Promise) throw new Error("memory answers at once");
  return verdict;
}

const rate = (key: string, rate: number, per = second): Claim => ({ kind: "rate", key, rate, per });
const quota = (key: string, max: number, renewal: number): Claim => ({ kind: "quota", key, max, renewal });

const claimKinds = fc.oneof(
  fc.record({
    kind: fc.constant("rate" as const),
    rate: fc.integer({ min: 1, max: 12 }),
    per: fc.integer({ min: 1, max: 5 * second }),
  }),
  fc.record({
    kind: fc.constant("quota" as const),
    max: fc.integer({ min: 0, max: 12 }),
    renewal: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5 * second })),
  }),
);

test("counts equal those of a model that remembers every request", () => {
  const requests = fc.array(
    fc.record({
      // Pauses of all sizes: some shorter than a share of a period, some longer than a whole period.
      pause: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 0, max: 3 * second }),
      ),
      picks: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 80 },
  );
  const kinds = fc.array(claimKinds, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(kinds, requests, (chosen, steps) => {
      const claims = chosen.map((kind, index): Claim => ({ ...kind, key: `claim ${index}` }));
      const { state, take } = withClock();
      const exact = createExactCounters();
      for (const { pause, picks } of steps) {
        state.time += pause;
        const asked = picks.flatMap((pick) => claims[pick] ?? []);
        const { refusedBy, wait } = take(...asked);
        assert.is(refusedBy === -1, exact.take(asked, state.time));
        assert.is(refusedBy === -1, wait === 0);
      }
    }),
    { numRuns: 400, seed: 6 },
  );
});

test("exactly one more request passes after the reported wait, and not before", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: second }), { maxLength: 40 });
  fc.assert(
    fc.property(claimKinds, pauses, (kind, steps) => {
      const claim: Claim = { ...kind, key: "a" };
      const { state, take } = withClock();
      for (const pause of steps) {
        state.time += pause;
        const { wait } = take(claim);
        if (wait === 0 || !Number.isFinite(wait)) continue;
        state.time += wait - 1;
        assert.is(take(claim).refusedBy, 0);
        state.time += 1;
        assert.is(take(claim).refusedBy, -1);
      }
    }),
    { numRuns: 300, seed: 6 },
  );
});

test("the remaining requests pass immediately, and all are available after the reset", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: second }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(claimKinds, pauses, (kind, steps) => {
      const claim: Claim = { ...kind, key: "a" };
      const { state, take } = withClock();
      let remaining = 0;
      for (const pause of steps) {
        state.time += pause;
        remaining = take(claim).standings[0]?.remaining ?? 0;
      }
      for (let each = 0; each < remaining; each += 1) assert.is(take(claim).refusedBy, -1);
      const { refusedBy, standings } = take(claim);
      assert.is(refusedBy, 0);
      const reset = standings[0]?.reset ?? 0;
      const most = claim.kind === "rate" ? claim.rate : claim.max;
      if (!Number.isFinite(reset)) return;
      state.time += reset;
      for (let each = 0; each < most; each += 1) assert.is(take(claim).refusedBy, -1);
    }),
    { numRuns: 300, seed: 6 },
  );
});

test("a rejected request is not counted by any limit", () => {
  const { take } = withClock();
  const [wide, narrow] = [rate("wide", 10), quota("narrow", 1, 0)];
  assert.equal(take(wide, narrow), {
    refusedBy: -1,
    wait: 0,
    standings: [
      { remaining: 9, reset: second / 10 },
      { remaining: 0, reset: Number.POSITIVE_INFINITY },
    ],
  });
  for (let each = 0; each < 20; each += 1) assert.is(take(wide, narrow).refusedBy, 1);
  assert.is(take(wide).standings[0]?.remaining, 8);
});

test("a rate of less than one per period passes one request in a longer time", () => {
  const { state, take } = withClock();
  const slow = rate("slow", 0.5);
  assert.is(take(slow).refusedBy, -1);
  assert.is(take(slow).wait, 2 * second);
  state.time += 2 * second;
  assert.is(take(slow).refusedBy, -1);
});

test("unlimited callers neither exhaust the counters nor reset those of a limited caller", () => {
  let givenUp = 0;
  const { state, take } = withClock({
    most: 100,
    onGivenUp: () => {
      givenUp += 1;
    },
  });
  const mine = rate("mine", 10);
  for (let each = 0; each < 10; each += 1) take(mine);
  assert.is(take(mine).refusedBy, 0);
  for (let each = 0; each < 10_000; each += 1) take(rate(`other ${each}`, 10));
  assert.is(take(mine).refusedBy, 0, "others had one request each and went first");
  assert.ok(givenUp > 9_000);

  // Counters that no longer limit anyone are not reported as given up.
  givenUp = 0;
  for (let each = 0; each < 10_000; each += 1) {
    state.time += second;
    take(rate(`another ${each}`, 10));
  }
  assert.is(givenUp, 0);
});

test("quotas are evicted after rates when there is no room for all", () => {
  const { take } = withClock({ most: 100 });
  for (let each = 0; each < 50; each += 1) take(quota(`quota ${each}`, 1, 3600 * second));
  for (let each = 0; each < 10_000; each += 1) take(rate(`rate ${each}`, 10));
  for (let each = 0; each < 50; each += 1) {
    assert.is(take(quota(`quota ${each}`, 1, 3600 * second)).refusedBy, 0);
  }
});

test("connections are counted until they leave, each once", () => {
  const { counters } = withClock();
  const seats = [
    { key: "all", max: 3 },
    { key: "mine", max: 2 },
  ];
  const [first, second] = [counters.enter(seats), counters.enter(seats)];
  assert.is(counters.enter(seats), 1);
  const other = counters.enter([{ key: "all", max: 3 }]);
  assert.is(counters.enter([{ key: "all", max: 3 }]), 0);
  for (const each of [first, first, second, other]) {
    if (typeof each === "object" && "leave" in each) each.leave();
  }
  assert.type(counters.enter(seats), "object");
  assert.type(counters.enter(seats), "object");
  assert.is(counters.enter(seats), 1);
});

test.run();
