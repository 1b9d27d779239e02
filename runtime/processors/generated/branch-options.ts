// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { MappingFunction, ResultMapFunction } from "../../processors/functions.ts";

/**
 * Runs processors on a side message and merges the result into the original message.
 */
export interface BranchOptions {
  /**
   * Mapping that creates the side message, which is empty if `root` is not assigned. If it is omitted, the side message is a copy. If it returns `deleted()`, the message passes unchanged.
   */
  readonly request_map?: MappingFunction;
  /**
   * Processors that run on the side message.
   */
  readonly processors: readonly Processor[];
  /**
   * Mapping that changes the original message. `this` is the side message; `root` is initially the original.
   */
  readonly result_map?: ResultMapFunction;
}
