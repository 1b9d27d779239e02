// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Cache } from "../../../component/resource.ts";
import type { Text } from "../../../component/text.ts";

/**
 * Writes each message to a cache.
 */
export interface CacheOutputOptions {
  /**
   * Label of an entry of `cache_resources` to write to.
   */
  readonly target: Cache;
  /**
   * Key of the value. Messages with the same key replace each other.
   */
  readonly key: Text;
  /**
   * Time to live of the value. It replaces the default of the cache.
   */
  readonly ttl?: Text;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
}

/** What the fields hold that a document leaves out. */
export const cacheOutputDefaults = {
  max_in_flight: 64
} as const satisfies Partial<CacheOutputOptions>;
