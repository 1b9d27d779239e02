// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { MappingFunction, ResultMapFunction } from "../../processors/functions.ts";

/**
 * Runs branches in tiers and records their results in the document. The branches of one tier run in parallel.
 */
export interface WorkflowOptions {
  /**
   * Path in the document, with dots between keys, where the results of branches are recorded: succeeded, skipped or failed. Branches that are recorded as succeeded or skipped do not run again. If it is empty, a message on which a branch failed is flagged as failed instead.
   */
  readonly meta_path?: string;
  /**
   * Tiers in the order they run, each a list of branch names. If it is omitted, a branch runs after those whose `result_map` writes what its `request_map` reads.
   */
  readonly order?: readonly (readonly string[])[];
  /**
   * Labels of `branch` processors in `processor_resources` of the stream. They run as branches with these names.
   */
  readonly branch_resources?: readonly string[];
  /**
   * Branches by name.
   */
  readonly branches?: Readonly<Record<string, WorkflowBranch>>;
}
/**
 * A branch, with the fields of the `branch` processor.
 */
export interface WorkflowBranch {
  /**
   * Mapping that creates the side message, which is empty if `root` is not assigned. If it is omitted, the side message is a copy. If it returns `deleted()`, the branch is skipped.
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

/** What the fields hold that a document leaves out. */
export const workflowDefaults = {
  meta_path: "meta.workflow",
  order: [],
  branch_resources: []
} as const satisfies Partial<WorkflowOptions>;
