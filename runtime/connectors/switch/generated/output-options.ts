// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Hands each message to the output of the first case that takes it. A message on which a processor failed goes only to a case whose check reads that (`errored()`), or whose output is meant for it.
 */
export interface SwitchOutputOptions {
  /**
   * Whether a failed write to one output is retried until it succeeds, so that the other outputs get no duplicates.
   */
  readonly retry_until_success?: boolean;
  /**
   * Whether a message no case takes is refused; otherwise it is dropped.
   */
  readonly strict_mode?: boolean;
  /**
   * Cases in the order they are tried.
   */
  readonly cases: readonly SwitchOutputCase[];
}
/**
 * One case.
 */
export interface SwitchOutputCase {
  /**
   * Query that says whether the case takes a message; without it the case takes all.
   */
  readonly check?: QueryFunction;
  /**
   * Where the messages go that the case takes.
   */
  readonly output: Output;
  /**
   * Whether further cases are tried for a message this one takes.
   */
  readonly continue?: boolean;
}

/** What the fields hold that a document leaves out. */
export const switchOutputDefaults = {
  retry_until_success: false,
  strict_mode: false
} as const satisfies Partial<SwitchOutputOptions>;
