// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { MappingFunction, ResultMapFunction } from "../../processors/functions.ts";

/**
 * Runs branches in tiers, those of one tier side by side, and keeps a record of them in the document.
 */
export interface WorkflowOptions {
  /**
   * Where the document says which branches succeeded, were skipped or failed, with dots between keys; branches that it says succeeded or were skipped before do not run again. Where it is empty, a message that a branch failed on is flagged instead.
   */
  readonly meta_path?: string;
  /**
   * Tiers in the order they run, each a list of names of branches. Without it a branch runs after those whose `result_map` writes what its `request_map` reads.
   */
  readonly order?: readonly (readonly string[])[];
  /**
   * Labels of `branch` processors that the stream declares in `processor_resources`; they run as branches of that name.
   */
  readonly branch_resources?: readonly string[];
  /**
   * The branches by name.
   */
  readonly branches?: Readonly<Record<string, WorkflowBranch>>;
}
/**
 * As a `branch`.
 */
export interface WorkflowBranch {
  /**
   * Mapping that builds the side message, which is empty where `root` is assigned nothing; without it the side message is a copy. Where it gives `deleted()`, the branch is skipped.
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

/** What the fields hold that a document leaves out. */
export const workflowDefaults = {
  meta_path: "meta.workflow",
  order: [],
  branch_resources: []
} as const satisfies Partial<WorkflowOptions>;
