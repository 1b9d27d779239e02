import type { SyncCache } from "../component/resource.ts";
import { type RistrettoCacheOptions, ristrettoCacheDefaults } from "./generated/ristretto-cache-options.ts";
import { memoryCache } from "./memory-cache.ts";

/** Milliseconds between clearings of values past their time. */
const compactionInterval = 60_000;

/** A year stands for no end: values beyond the number of entries go before. */
const noEnd = 365 * 24 * 60 * 60 * 1000;

/** Values in memory. Unlike the library of that name it neither refuses writes nor loses some: readers see what was written. */
export function ristrettoCache(options: RistrettoCacheOptions): SyncCache {
  const { default_ttl } = { ...ristrettoCacheDefaults, ...options };
  return memoryCache({ default_ttl: default_ttl || noEnd, compaction_interval: compactionInterval });
}
