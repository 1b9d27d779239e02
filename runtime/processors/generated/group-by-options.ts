// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Splits a batch into one batch for each group, and one for messages that match no group. The batches are acknowledged together. A check that fails on a message does not match it. The list of groups may be written directly under `group_by`.
 */
export interface GroupByOptions {
  /**
   * Groups, tried in order.
   */
  readonly groups: readonly Group[];
}
/**
 * A group.
 */
export interface Group {
  /**
   * Query that is true if the message belongs to this group. It is evaluated for messages that no earlier group matched.
   */
  readonly check: QueryFunction;
  /**
   * Processors that run on the batch of the group.
   */
  readonly processors?: readonly Processor[];
}
