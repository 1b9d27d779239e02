// Counters as slow as they are plain: they remember every request, and look at all of them each time.

import type { Claim, QuotaClaim, RateClaim } from "../../../runtime/counters.ts";

/** Whether each request in turn, at a time in microseconds and with some claims, is counted. */
export interface ExactCounters {
  take(claims: readonly Claim[], time: number): boolean;
}

/** Nothing of it is as in the runtime: times are whole, and compared without dividing. */
export function createExactCounters(): ExactCounters {
  const passed = new Map<string, number[]>();
  const timesOf = (key: string) => {
    const times = passed.get(key) ?? [];
    passed.set(key, times);
    return times;
  };
  return {
    take(claims, time) {
      const isFree = claims.every((claim) =>
        claim.kind === "rate"
          ? fitsRate(claim, timesOf(claim.key), time)
          : fitsQuota(claim, timesOf(claim.key), time),
      );
      if (isFree) for (const { key } of claims) timesOf(key).push(time);
      return isFree;
    },
  };
}

/**
 * By the definition of the generic cell rate algorithm: however far one looks back, there were never more than `rate`
 * requests and those that the time since then brings.
 */
function fitsRate({ rate, per }: RateClaim, times: readonly number[], time: number): boolean {
  return [...times, time].every((begin, index, all) => {
    const count = all.length - index;
    return count * per <= Math.max(1, rate) * per + (time - begin) * rate;
  });
}

/** A period begins with the first request after the one before. */
function fitsQuota({ max, renewal }: QuotaClaim, times: readonly number[], time: number): boolean {
  let begin = Number.NEGATIVE_INFINITY;
  let used = 0;
  for (const each of times) {
    if (renewal !== 0 && each >= begin + renewal) [begin, used] = [each, 0];
    used += 1;
  }
  if (renewal !== 0 && time >= begin + renewal) used = 0;
  return used < max;
}
