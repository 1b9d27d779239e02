// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Cache } from "../../component/resource.ts";
import type { Text } from "../../component/text.ts";

/**
 * Drops messages whose key was delivered before. A key counts once its message is delivered; what repeats a message on its way is acknowledged together with it.
 */
export interface DedupeOptions {
  /**
   * Label of an entry of `cache_resources`, which keeps the keys.
   */
  readonly cache: Cache;
  /**
   * What two messages share that are the same.
   */
  readonly key: Text;
  /**
   * Whether a message is lost while the cache cannot be asked, rather than flagged and tried again.
   */
  readonly drop_on_err?: boolean;
  /**
   * Which message of a batch stays, the first or the last of a key.
   */
  readonly strategy?: "FIFO" | "LIFO";
}

/** What the fields hold that a document leaves out. */
export const dedupeDefaults = {
  drop_on_err: false,
  strategy: "FIFO"
} as const satisfies Partial<DedupeOptions>;
