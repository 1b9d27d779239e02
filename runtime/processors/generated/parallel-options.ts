// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on each message of a batch separately, several messages concurrently. The results form one batch in the same order.
 */
export interface ParallelOptions {
  /**
   * Maximum number of messages that are processed concurrently; 0 for no limit.
   */
  readonly cap?: number;
  /**
   * Processors that run on each message.
   */
  readonly processors: readonly Processor[];
}

/** What the fields hold that a document leaves out. */
export const parallelDefaults = {
  cap: 0
} as const satisfies Partial<ParallelOptions>;
