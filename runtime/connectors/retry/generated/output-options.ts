// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";

/**
 * Retries a failed write, with increasing pauses, until the output confirms it.
 */
export interface RetryOutputOptions {
  /**
   * Maximum number of retries; 0 means no limit.
   */
  readonly max_retries?: number;
  /**
   * Pauses between attempts.
   */
  readonly backoff?: {
    /**
     * The first pause.
     */
    readonly initial_interval?: number;
    /**
     * The longest pause.
     */
    readonly max_interval?: number;
    /**
     * Time after which no further attempt is made; 0 means no limit.
     */
    readonly max_elapsed_time?: number;
  };
  /**
   * Output that the messages go to.
   */
  readonly output: Output;
}

/** What the fields hold that a document leaves out. */
export const retryOutputDefaults = {
  max_retries: 0,
  backoff: {
    initial_interval: 500,
    max_interval: 3000,
    max_elapsed_time: 0
  }
} as const satisfies Partial<RetryOutputOptions>;
