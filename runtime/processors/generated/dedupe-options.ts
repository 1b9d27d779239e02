// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Cache } from "../../component/resource.ts";
import type { Text } from "../../component/text.ts";

/**
 * Drops messages whose key was already delivered. A key counts once its message is delivered. A duplicate of a message in flight is acknowledged together with it.
 */
export interface DedupeOptions {
  /**
   * Label of an entry of `cache_resources` that stores the keys.
   */
  readonly cache: Cache;
  /**
   * Key that duplicates have in common.
   */
  readonly key: Text;
  /**
   * Drops messages while the cache is unavailable. Otherwise they are flagged as failed and retried.
   */
  readonly drop_on_err?: boolean;
  /**
   * Which message with the same key in a batch is kept, the first or the last.
   */
  readonly strategy?: "FIFO" | "LIFO";
}

/** What the fields hold that a document leaves out. */
export const dedupeDefaults = {
  drop_on_err: false,
  strategy: "FIFO"
} as const satisfies Partial<DedupeOptions>;
