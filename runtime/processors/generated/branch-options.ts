// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { MappingFunction, ResultMapFunction } from "../../processors/functions.ts";

/**
 * Runs processors on a side message and merges its outcome into the original.
 */
export interface BranchOptions {
  /**
   * Mapping that builds the side message, which is empty where `root` is assigned nothing; without it the side message is a copy. Where it gives `deleted()`, the message passes unchanged.
   */
  readonly request_map?: MappingFunction;
  /**
   * What runs on the side message.
   */
  readonly processors: readonly Processor[];
  /**
   * Mapping that writes to the original message; `this` is the side message, `root` begins as the original.
   */
  readonly result_map?: ResultMapFunction;
}
