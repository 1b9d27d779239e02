// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { Cache } from "../../component/resource.ts";
import type { Text } from "../../component/text.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Caches the result of processors under a key. The next message with that key gets the cached result without running them. Results of failed processing are not cached.
 */
export interface CachedOptions {
  /**
   * Label of an entry of `cache_resources`.
   */
  readonly cache: Cache;
  /**
   * Cache key of a message.
   */
  readonly key: Text;
  /**
   * Time to live of a result, instead of the default of the cache.
   */
  readonly ttl?: Text;
  /**
   * Query on the result. If it is true, the result is not cached.
   */
  readonly skip_on?: QueryFunction;
  /**
   * Processors that run if there is no cached result.
   */
  readonly processors: readonly Processor[];
}
