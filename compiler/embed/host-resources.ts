// Caches and rate limits where processors are tried out: nothing outside of this process is asked, and nothing
// waits.

import type { RateLimit, SyncCache } from "../../runtime/component/resource.ts";
import type { MemoryCacheOptions } from "../../runtime/resources/generated/memory-cache-options.ts";
import type { RedisCacheOptions } from "../../runtime/resources/generated/redis-cache-options.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import type { Replacements } from "./evaluate-code.ts";

/** What to link in place of the runtime's own resources. */
export function hostResources(): Replacements {
  return {
    redisCache({ default_ttl }: RedisCacheOptions): SyncCache {
      const { memoryCache } = loadRuntime("runtime/resources/memory-cache.ts");
      const options: MemoryCacheOptions =
        default_ttl === undefined ? { compaction_interval: 0 } : { default_ttl };
      return memoryCache(options);
    },
    localRateLimit: (): RateLimit => noLimit,
    redisRateLimit: (): RateLimit => noLimit,
  };
}

const noLimit: RateLimit = { take: () => 0 };
