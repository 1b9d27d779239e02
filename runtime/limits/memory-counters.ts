// Counts in the memory of this process.

import type { Claim, Counters, QuotaClaim, Standing } from "../counters.ts";
import { drainOf, excessOf, roomOf } from "./bucket.ts";
import { createConnectionCounts } from "./connection-counts.ts";
import { type Counter, createCounterTable } from "./counter-table.ts";

/** Microseconds since some moment, whole and never less than before. */
export type Clock = () => number;

/** Settings of counters in memory. */
export interface MemoryCountersOptions {
  /** Most counters of rates that are kept, and as many of quotas. */
  readonly most?: number;
  readonly clock?: Clock;
  /** Called whenever a counter that still held somebody up had to go. */
  readonly onGivenUp?: () => void;
}

/** About 30 MB of each kind. */
export const defaultMostCounters = 100_000;

/** Counters in memory; rates and quotas have their room apart, as a quota outlasts many rates. */
export function createMemoryCounters(options: MemoryCountersOptions = {}): Counters {
  const { most = defaultMostCounters, clock = monotonicClock, onGivenUp } = options;
  const tables = {
    rate: createCounterTable(most, onGivenUp),
    quota: createCounterTable(most, onGivenUp),
  };
  return {
    take(claims) {
      const time = clock();
      const counters: Counter[] = [];
      let refusedBy = -1;
      let wait = 0;
      // Every request comes by here: loops, as closures would cost more than the counting.
      for (const claim of claims) {
        const counter = tables[claim.kind].find(claim.key);
        const excess =
          claim.kind === "rate" ? excessOf(claim, counter, time) : excessOfQuota(claim, counter, time);
        if (excess > 0 && refusedBy === -1) {
          refusedBy = counters.length;
          wait = excess;
        }
        counters.push(counter);
      }
      const standings: Standing[] = [];
      for (const claim of claims) {
        const counter = counters[standings.length];
        if (counter === undefined) break;
        if (refusedBy === -1) count(claim, counter, time);
        standings.push(standingOf(claim, counter, time));
      }
      // Not before: what was found above has to stay.
      tables.rate.tend(time);
      tables.quota.tend(time);
      return { refusedBy, wait, standings };
    },
    enter: createConnectionCounts(),
  };
}

/** As `excessOf`, of a quota; ends its period where that is over. */
function excessOfQuota({ max }: QuotaClaim, counter: Counter, time: number): number {
  if (counter.level > 0 && counter.at <= time) counter.level = 0;
  if (counter.level < max) return 0;
  return counter.level === 0 ? Number.POSITIVE_INFINITY : counter.at - time;
}

function count(claim: Claim, counter: Counter, time: number): void {
  if (claim.kind === "rate") {
    counter.level += claim.per;
    counter.freeAt = time + drainOf(claim, counter);
    return;
  }
  if (counter.level === 0) {
    counter.at = claim.renewal === 0 ? Number.POSITIVE_INFINITY : time + claim.renewal;
    counter.freeAt = counter.at;
  }
  counter.level += 1;
}

function standingOf(claim: Claim, counter: Counter, time: number): Standing {
  if (claim.kind === "rate") return { remaining: roomOf(claim, counter), reset: drainOf(claim, counter) };
  const reset = counter.level === 0 ? 0 : counter.at - time;
  return { remaining: Math.max(0, claim.max - counter.level), reset };
}

/** The clock of this process. */
export function monotonicClock(): number {
  return Math.floor(performance.now() * 1000);
}
