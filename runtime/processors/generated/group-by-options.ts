// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Splits a batch into a batch for each group, and one of what no group takes; they are acknowledged together. A check that fails on a message does not take it. The list of groups may be written directly under `group_by`.
 */
export interface GroupByOptions {
  /**
   * Groups in the order they are tried.
   */
  readonly groups: readonly Group[];
}
/**
 * One group.
 */
export interface Group {
  /**
   * Query that says whether a message that no group before took belongs here.
   */
  readonly check: QueryFunction;
  /**
   * What runs on the batch of the group.
   */
  readonly processors?: readonly Processor[];
}
