// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Cache } from "../../../component/resource.ts";
import type { Text } from "../../../component/text.ts";

/**
 * Writes each message to a cache.
 */
export interface CacheOutputOptions {
  /**
   * Label of an entry of `cache_resources`.
   */
  readonly target: Cache;
  /**
   * Key of the value; one for each message, unless they are to replace each other.
   */
  readonly key: Text;
  /**
   * How long the value is kept, in place of the cache's own time.
   */
  readonly ttl?: Text;
  /**
   * Batches on their way at once.
   */
  readonly max_in_flight?: number;
}

/** What the fields hold that a document leaves out. */
export const cacheOutputDefaults = {
  max_in_flight: 64
} as const satisfies Partial<CacheOutputOptions>;
