// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Splits a batch into one batch for each value. The batches are acknowledged together. Messages whose value cannot be computed are flagged as failed, in the batch of the empty value.
 */
export interface GroupByValueOptions {
  /**
   * Value that the messages of one batch have in common.
   */
  readonly value: Text;
}
