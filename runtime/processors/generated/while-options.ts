// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Runs processors on the whole batch again and again, as long as a check holds for its first message.
 */
export interface WhileOptions {
  /**
   * Query that says whether to go on; asked before each round.
   */
  readonly check: QueryFunction;
  /**
   * What runs in each round.
   */
  readonly processors: readonly Processor[];
  /**
   * Whether the first round runs without asking.
   */
  readonly at_least_once?: boolean;
  /**
   * Largest number of rounds; 0 is no limit.
   */
  readonly max_loops?: number;
}

/** What the fields hold that a document leaves out. */
export const whileDefaults = {
  at_least_once: false,
  max_loops: 0
} as const satisfies Partial<WhileOptions>;
