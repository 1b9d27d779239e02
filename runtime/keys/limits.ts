// Limits of records, and of several of them as one.

import type { Quota, RateLimit, SessionLimits } from "../session.ts";

/** The limits of a record; what it does not mention it does not limit. */
export function readLimits(record: {
  readonly rate?: number;
  readonly per?: number;
  readonly quota_max?: number;
  readonly quota_renewal_rate?: number;
}): SessionLimits {
  const { rate, per = 1, quota_max: max, quota_renewal_rate: renewal = 0 } = record;
  const limit: RateLimit | undefined = rate === undefined ? undefined : { rate, per };
  return {
    ...(limit === undefined ? {} : { rate: limit }),
    ...(max === undefined ? {} : { quota: { max, renewal } }),
  };
}

/** The highest of each; what nobody mentions is not limited. */
export function mergeLimits(all: readonly SessionLimits[]): SessionLimits {
  const rate = highest(
    all.flatMap((each) => each.rate ?? []),
    requestsPerSecond,
  );
  const quota = highest(
    all.flatMap((each) => each.quota ?? []),
    ({ max }) => (max === -1 ? Number.POSITIVE_INFINITY : max),
    perSecond,
  );
  return { ...(rate === undefined ? {} : { rate }), ...(quota === undefined ? {} : { quota }) };
}

/** A rate of 0 is any number. */
function requestsPerSecond({ rate, per }: RateLimit): number {
  return rate === 0 ? Number.POSITIVE_INFINITY : rate / per;
}

/** Of two equal quotas the one that is renewed sooner is higher; one that is never renewed is lowest. */
function perSecond({ max, renewal }: Quota): number {
  return renewal === 0 ? 0 : max / renewal;
}

function highest<T>(all: readonly T[], ...measures: readonly ((item: T) => number)[]): T | undefined {
  return all.toSorted((a, b) => {
    for (const measure of measures) {
      const [first, second] = [measure(a), measure(b)];
      if (first !== second) return first > second ? -1 : 1;
    }
    return 0;
  })[0];
}
