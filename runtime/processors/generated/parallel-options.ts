// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on each message of a batch separately, several messages at once. The results are one batch in the same order.
 */
export interface ParallelOptions {
  /**
   * Largest number of messages under way at once; 0 is no limit.
   */
  readonly cap?: number;
  /**
   * What runs on each message.
   */
  readonly processors: readonly Processor[];
}

/** What the fields hold that a document leaves out. */
export const parallelDefaults = {
  cap: 0
} as const satisfies Partial<ParallelOptions>;
