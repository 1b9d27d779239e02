// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Input } from "../../../component/component.ts";

/**
 * Reads from one input after the other: the next one starts when the one before has given all it had.
 */
export interface SequenceInputOptions {
  /**
   * The inputs in order.
   */
  readonly inputs: readonly (() => Input)[];
  readonly sharded_join?: ShardedJoin;
}
/**
 * Joins the messages of all inputs that have the same identifier. They are held in memory until every input has ended, and acknowledged before that.
 */
export interface ShardedJoin {
  /**
   * `full-outer` gives a message for each identifier; `outer` one for each message of the last input, joined with what came before.
   */
  readonly type?: "none" | "full-outer" | "outer" | "full-outter" | "outter";
  /**
   * Path of the identifier, a text, in each document; messages without one are dropped.
   */
  readonly id_path?: string;
  /**
   * How often the inputs are read: each time only a share of the identifiers is held.
   */
  readonly iterations?: number;
  /**
   * What becomes of values that stand at the same place: an array of them, the last one, or the first one.
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
