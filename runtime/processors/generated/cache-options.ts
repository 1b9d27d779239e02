// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Cache } from "../../component/resource.ts";
import type { Text } from "../../component/text.ts";

/**
 * Reads from or writes to a cache, for each message separately. `get` replaces the message with the value, `exists` with whether the key exists; the other operators leave the message unchanged.
 */
export interface CacheOptions {
  /**
   * Label of an entry of `cache_resources`.
   */
  readonly resource: Cache;
  /**
   * Operation: `add` fails if the key exists, `get` fails if it does not exist.
   */
  readonly operator: "set" | "add" | "get" | "exists" | "delete";
  /**
   * The key.
   */
  readonly key: Text;
  /**
   * Value to write, for `set` and `add`.
   */
  readonly value?: Text;
  /**
   * Time to live of the value, instead of the default of the cache.
   */
  readonly ttl?: Text;
}

/** What the fields hold that a document leaves out. */
export const cacheDefaults = {
  value: ""
} as const satisfies Partial<CacheOptions>;
