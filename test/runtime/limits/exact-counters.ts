// Simple and slow reference counters. They remember every request and scan all of them each time.

import type { Claim, QuotaClaim, RateClaim } from "../../../runtime/counters.ts";

/** Decides for each request, with a time in microseconds and some claims, whether it is counted. */
export interface ExactCounters {
  take(claims: readonly Claim[], time: number): boolean;
}

/** Returns counters that share nothing with the runtime: times are integers and compared without division. */
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
 * The definition of the generic cell rate algorithm: from every earlier request on, there are at most `rate` requests
 * and those that the elapsed time adds.
 */
function fitsRate({ rate, per }: RateClaim, times: readonly number[], time: number): boolean {
  return [...times, time].every((begin, index, all) => {
    const count = all.length - index;
    return count * per <= Math.max(1, rate) * per + (time - begin) * rate;
  });
}

/** A period begins with the first request after the previous period. */
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
