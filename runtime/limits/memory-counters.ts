// Counters in the memory of this process.

import type { Scoped } from "../component/gateway-scope.ts";
import type { Claim, Counters, Occupancy, QuotaClaim, Seat, Standing } from "../counters.ts";
import { type Bucket, drainOf, excessOf, roomOf } from "./bucket.ts";

/** Returns microseconds since an arbitrary moment: integers that never decrease. */
export type Clock = () => number;

/** Settings of counters in memory. */
export interface MemoryCountersOptions {
  /** The most counters of rates, and the most counters of quotas. */
  readonly most?: number;
  readonly clock?: Clock;
  /** Called whenever a counter that still limited a caller was dropped. */
  readonly onGivenUp?: () => void;
}

/** About 30 MB of each kind. */
const defaultMostCounters = 100_000;

/** Creates counters in memory. Rates and quotas have separate room, because a quota outlasts many rates. */
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
      // Every request runs this: loops, because closures would cost more than the counting.
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
      // Not earlier: the counters found above must stay.
      tables.rate.tend(time);
      tables.quota.tend(time);
      return { refusedBy, wait, standings };
    },
    enter: createConnectionCounts(),
  };
}

/** Like `excessOf`, for a quota; starts a new period if the current one is over. */
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

/** Returns the time of this process's monotonic clock. */
export function monotonicClock(): number {
  return Math.floor(performance.now() * 1000);
}

/** Implements `Counters.enter` in memory; an unused counter takes no memory. */
function createConnectionCounts(): (seats: readonly Seat[]) => Occupancy | number {
  const open = new Map<string, number>();
  return (seats) => {
    const full = seats.findIndex(({ key, max }) => (open.get(key) ?? 0) >= max);
    if (full !== -1) return full;
    for (const { key } of seats) open.set(key, (open.get(key) ?? 0) + 1);
    let isOpen = true;
    return {
      leave() {
        if (!isOpen) return;
        isOpen = false;
        for (const { key } of seats) {
          const left = (open.get(key) ?? 1) - 1;
          if (left === 0) open.delete(key);
          else open.set(key, left);
        }
      },
    };
  };
}

/** A counter of either kind. For a quota, `level` is the number of requests, and `at` the end of its period. */
interface Counter extends Bucket {
  /** When it no longer limits anything. */
  freeAt: number;
}

/** The counters checked for each new one: more than one, so that free ones are dropped faster than others are added. */
const lookedAt = 2;
/** The number of counters from which one is dropped if there is no room. */
const sampled = 16;

/** Counters by key. */
interface CounterTable {
  /** Returns the counter of a key; creates it if there is none. */
  find(key: string): Counter;
  /** Makes room for the counters that were added since the last call. */
  tend(time: number): void;
}

/**
 * Counters that limit no caller are dropped as others are added. Beyond `most`, drops from some consecutive counters
 * the one that would be free soonest. To have a counter dropped, an attacker must keep that many others busy, and
 * could as well send the requests under those.
 */
function createCounterTable(most: number, onGivenUp?: (() => void) | undefined): CounterTable {
  const counters = new Map<string, Counter>();
  let hand = counters.entries();
  let added = 0;

  /** Returns the next counter in order of insertion; starts again after the last. */
  function lookOn(): readonly [string, Counter] | undefined {
    let { value } = hand.next();
    if (value === undefined) {
      hand = counters.entries();
      ({ value } = hand.next());
    }
    return value;
  }

  /** Drops the free ones of the next `count` counters; returns the key of the remaining one that is free soonest. */
  function dropFree(time: number, count: number): string | undefined {
    let soonest: readonly [string, Counter] | undefined;
    for (let each = 0; each < count; each += 1) {
      const next = lookOn();
      if (next === undefined) break;
      if (next[1].freeAt <= time) counters.delete(next[0]);
      else if (soonest === undefined || next[1].freeAt < soonest[1].freeAt) soonest = next;
    }
    return soonest?.[0];
  }

  return {
    find(key) {
      const known = counters.get(key);
      if (known !== undefined) return known;
      const counter = { level: 0, at: 0, freeAt: 0 };
      counters.set(key, counter);
      added += 1;
      return counter;
    },
    tend(time) {
      for (; added > 0; added -= 1) dropFree(time, lookedAt);
      while (counters.size > most) {
        const soonest = dropFree(time, sampled);
        if (counters.size <= most || soonest === undefined) continue;
        counters.delete(soonest);
        onGivenUp?.();
      }
    },
  };
}

/** Counters that the APIs of a gateway share. */
export const scopedCounters: Scoped<Counters> = {
  create: () => createMemoryCounters(),
  close: (counters) => counters.close?.(),
};
