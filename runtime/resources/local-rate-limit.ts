import type { RateLimit } from "../resource.ts";
import { type LocalRateLimitOptions, localRateLimitDefaults } from "./generated/local-rate-limit-options.ts";

/**
 * Counts in this process. An interval begins with the first message that goes through after the one before is
 * over. Bytes are counted when a message went through, so that one larger than the limit goes through, too.
 */
export function localRateLimit(options: LocalRateLimitOptions): RateLimit {
  const { count, byte_size, interval } = { ...localRateLimitDefaults, ...options };
  let begin = Number.NEGATIVE_INFINITY;
  let taken = 0;
  let takenBytes = 0;

  return {
    take(bytes) {
      const now = performance.now();
      if (now - begin >= interval) {
        begin = now;
        taken = 0;
        takenBytes = 0;
      }
      const isFull = taken >= count || (byte_size > 0 && takenBytes >= byte_size);
      if (isFull) return begin + interval - now;
      taken += 1;
      takenBytes += bytes;
      return 0;
    },
  };
}
