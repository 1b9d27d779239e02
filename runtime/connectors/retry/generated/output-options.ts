// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";

/**
 * Writes again, with growing pauses, until the output confirms.
 */
export interface RetryOutputOptions {
  /**
   * Attempts after the first; 0 for any number.
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
     * Time after which no further attempt is made; 0 for any.
     */
    readonly max_elapsed_time?: number;
  };
  /**
   * Where messages go.
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
