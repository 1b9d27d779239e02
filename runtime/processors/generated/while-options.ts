// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Runs processors on the whole batch repeatedly while a check is true for its first message.
 */
export interface WhileOptions {
  /**
   * Query that is true to continue. It is evaluated before each iteration.
   */
  readonly check: QueryFunction;
  /**
   * Processors that run in each iteration.
   */
  readonly processors: readonly Processor[];
  /**
   * Runs the first iteration without evaluating the check.
   */
  readonly at_least_once?: boolean;
  /**
   * Maximum number of iterations; 0 for no limit.
   */
  readonly max_loops?: number;
}

/** What the fields hold that a document leaves out. */
export const whileDefaults = {
  at_least_once: false,
  max_loops: 0
} as const satisfies Partial<WhileOptions>;
