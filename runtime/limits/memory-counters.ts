// Counts in the memory of this process.

import type { Scoped } from "../component/gateway-scope.ts";
import type { Claim, Counters, Occupancy, QuotaClaim, Seat, Standing } from "../counters.ts";
import { type Bucket, drainOf, excessOf, roomOf } from "./bucket.ts";

/** Microseconds since some moment, whole and never less than before. */
export type Clock = () => number;

/** Settings of counters in memory. */
export interface MemoryCountersOptions {
  /** Most counters of rates that are kept, and as many of quotas. */
  readonly most?: number;
  readonly clock?: Clock;
  /** Called whenever a counter that still limited a caller had to go. */
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

/** As `Counters.enter`, in memory; an unused counter takes none. */
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

/** A counter of either kind: of a quota, `level` is the requests, and `at` when its period ends. */
interface Counter extends Bucket {
  /** When it is as good as none. */
  freeAt: number;
}

/** Counters looked at for each new one: more than one, so that those that limit no caller go sooner than others come. */
const lookedAt = 2;
/** Of so many that limit a caller, one goes where there is no room. */
const sampled = 16;

/** Counters by their keys. */
interface CounterTable {
  /** The counter of a key; a new one where there is none. */
  find(key: string): Counter;
  /** Makes room for what came since it was called last. */
  tend(time: number): void;
}

/**
 * Counters that limit no caller are dropped as others come. Beyond `most`, of some that came one after the other that goes
 * which would be free soonest. To have a counter dropped, an attacker has to hold so many others, and to fill those beside
 * it further; he could as well have sent the requests under them.
 */
function createCounterTable(most: number, onGivenUp?: (() => void) | undefined): CounterTable {
  const counters = new Map<string, Counter>();
  let hand = counters.entries();
  let added = 0;

  /** The next counter in the order in which they came; the first again after the last. */
  function lookOn(): readonly [string, Counter] | undefined {
    let { value } = hand.next();
    if (value === undefined) {
      hand = counters.entries();
      ({ value } = hand.next());
    }
    return value;
  }

  /** Drops those of the next `count` that are free, and gives the one that is free soonest of the others. */
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
