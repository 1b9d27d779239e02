// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Cache } from "../../component/resource.ts";
import type { Text } from "../../component/text.ts";

/**
 * Writes to a cache or reads from it, for each message separately. `get` replaces the message with the value, `exists` with whether there is one; the other operators leave the message unchanged.
 */
export interface CacheOptions {
  /**
   * Label of an entry of `cache_resources`.
   */
  readonly resource: Cache;
  /**
   * What to do: `add` fails where the key is there, `get` where it is not.
   */
  readonly operator: "set" | "add" | "get" | "exists" | "delete";
  /**
   * The key.
   */
  readonly key: Text;
  /**
   * What to write, for `set` and `add`.
   */
  readonly value?: Text;
  /**
   * How long the value is kept, in place of the cache's own time.
   */
  readonly ttl?: Text;
}

/** What the fields hold that a document leaves out. */
export const cacheDefaults = {
  value: ""
} as const satisfies Partial<CacheOptions>;
