// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Splits a batch into a batch for each value; they are acknowledged together.
 */
export interface GroupByValueOptions {
  /**
   * What messages of one batch have in common.
   */
  readonly value: Text;
}
