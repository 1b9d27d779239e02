// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { Cache } from "../../component/resource.ts";
import type { Text } from "../../component/text.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Keeps what processors make of a message under a key; the next message of that key gets it without them. Results with a failure are not kept.
 */
export interface CachedOptions {
  /**
   * Label of an entry of `cache_resources`.
   */
  readonly cache: Cache;
  /**
   * The key of a message.
   */
  readonly key: Text;
  /**
   * How long a result is kept, in place of the cache's own time.
   */
  readonly ttl?: Text;
  /**
   * Query on the result; where it holds, the result is not kept.
   */
  readonly skip_on?: QueryFunction;
  /**
   * What runs where there is no result yet.
   */
  readonly processors: readonly Processor[];
}
