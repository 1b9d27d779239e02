// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Sends each message to the output of the first case that matches it. A message that a processor failed on goes only to a case whose check tests for that (`errored()`), or whose output is intended for such messages.
 */
export interface SwitchOutputOptions {
  /**
   * Whether a failed write to one output is retried until it succeeds, so that the other outputs get no duplicates.
   */
  readonly retry_until_success?: boolean;
  /**
   * Whether a message that matches no case is rejected. Otherwise it is dropped.
   */
  readonly strict_mode?: boolean;
  /**
   * Cases, in the order in which they are tried.
   */
  readonly cases: readonly SwitchOutputCase[];
}
/**
 * Case with its output.
 */
export interface SwitchOutputCase {
  /**
   * Query that returns whether the case matches a message. Without it, the case matches all messages.
   */
  readonly check?: QueryFunction;
  /**
   * Output for the messages that match the case.
   */
  readonly output: Output;
  /**
   * Whether further cases are tried for a message that matches this one.
   */
  readonly continue?: boolean;
}

/** What the fields hold that a document leaves out. */
export const switchOutputDefaults = {
  retry_until_success: false,
  strict_mode: false
} as const satisfies Partial<SwitchOutputOptions>;
