// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Input } from "../../../component/component.ts";

/**
 * Reads from one input after the other. The next input starts when the one before has ended.
 */
export interface SequenceInputOptions {
  /**
   * The inputs in order.
   */
  readonly inputs: readonly (() => Input)[];
  readonly sharded_join?: ShardedJoin;
}
/**
 * Joins the messages of all inputs that have the same identifier. Messages are held in memory until every input has ended, and are acknowledged before that.
 */
export interface ShardedJoin {
  /**
   * Type of the join. `full-outer` returns a message for each identifier; `outer` returns one for each message of the last input, joined with the messages of the inputs before.
   */
  readonly type?: "none" | "full-outer" | "outer" | "full-outter" | "outter";
  /**
   * Path of the identifier in each document, which is a string. Messages without one are dropped.
   */
  readonly id_path?: string;
  /**
   * Number of times that the inputs are read. Each pass holds only a share of the identifiers.
   */
  readonly iterations?: number;
  /**
   * How values at the same path are merged: into an array of them, or by keeping the last one or the first one.
   */
  readonly merge_strategy?: "array" | "replace" | "keep";
}

/** What the fields hold that a document leaves out. */
export const sequenceInputDefaults = {
  sharded_join: {
    type: "none",
    id_path: "",
    iterations: 1,
    merge_strategy: "array"
  }
} as const satisfies Partial<SequenceInputOptions>;
