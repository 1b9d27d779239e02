// So many counters and no more.

import type { Bucket } from "./bucket.ts";

/** A counter of either kind: of a quota, `level` is the requests, and `at` when its period ends. */
export interface Counter extends Bucket {
  /** When it is as good as none. */
  freeAt: number;
}

/** Counters looked at for each new one: more than one, so that those that hold nobody up go sooner than others come. */
const lookedAt = 2;
/** Of so many that hold somebody up, one goes where there is no room. */
const sampled = 16;

/** Counters by their keys. */
export interface CounterTable {
  /** The counter of a key; a new one where there is none. */
  find(key: string): Counter;
  /** Makes room for what came since it was called last. */
  tend(time: number): void;
}

/**
 * Counters that hold nobody up are dropped as others come. Beyond `most`, of some that came one after the other that goes
 * which would be free soonest. To have a counter dropped, somebody has to hold so many others, and to fill those beside
 * it further; he could as well have sent the requests under them.
 */
export function createCounterTable(most: number, onGivenUp?: (() => void) | undefined): CounterTable {
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
