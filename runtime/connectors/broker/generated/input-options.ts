// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Input } from "../../../component.ts";

/**
 * Joins several inputs into one.
 */
export interface BrokerInputOptions {
  /**
   * The inputs to join.
   */
  readonly inputs: readonly Input[];
}
