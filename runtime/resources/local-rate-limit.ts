import type { Resource } from "../component/component.ts";
import type { RateLimit } from "../component/resource.ts";
import { type LocalRateLimitOptions, localRateLimitDefaults } from "./generated/local-rate-limit-options.ts";

/** The messages and bytes that went through in the current interval. */
interface Count {
  begin: number;
  taken: number;
  takenBytes: number;
}

/** The count of each limit: a limit that takes over from another shares its count. */
const countOf = /* @__PURE__ */ new WeakMap<Resource, Count>();

/**
 * A rate limit that counts in this process. An interval begins with the first message that goes through after the
 * previous one has ended. Bytes are counted after a message went through, so that a message larger than the limit
 * goes through, too.
 */
export function localRateLimit(options: LocalRateLimitOptions): RateLimit {
  const { count: most, byte_size, interval } = { ...localRateLimitDefaults, ...options };
  let count: Count = { begin: Number.NEGATIVE_INFINITY, taken: 0, takenBytes: 0 };
  const limit: RateLimit = {
    takeOver(other) {
      count = countOf.get(other) ?? count;
      countOf.set(limit, count);
    },
    take(bytes) {
      const now = performance.now();
      if (now - count.begin >= interval) {
        count.begin = now;
        count.taken = 0;
        count.takenBytes = 0;
      }
      const isFull = count.taken >= most || (byte_size > 0 && count.takenBytes >= byte_size);
      if (isFull) return count.begin + interval - now;
      count.taken += 1;
      count.takenBytes += bytes;
      return 0;
    },
  };
  countOf.set(limit, count);
  return limit;
}
