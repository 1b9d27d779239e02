// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Splits a batch into a batch for each value; they are acknowledged together. Messages that no value can be computed for are flagged, in the batch of the empty text.
 */
export interface GroupByValueOptions {
  /**
   * What messages of one batch have in common.
   */
  readonly value: Text;
}
