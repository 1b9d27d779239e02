// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on each message separately. While they fail, they run again on the original message; after the last attempt the message continues with an error flag. The results have the metadata `retry_count` and `backoff_duration` (nanoseconds).
 */
export interface RetryOptions {
  readonly backoff?: RetryBackoff;
  /**
   * What is tried.
   */
  readonly processors: readonly Processor[];
  /**
   * Whether all messages of a batch are tried at once rather than one after the other.
   */
  readonly parallel?: boolean;
  /**
   * Largest number of attempts after the first; 0 is no limit.
   */
  readonly max_retries?: number;
}
/**
 * Pauses between attempts, which double each time.
 */
export interface RetryBackoff {
  /**
   * First pause.
   */
  readonly initial_interval?: number;
  /**
   * Longest pause.
   */
  readonly max_interval?: number;
  /**
   * Time after which no further attempt begins; 0s is no limit.
   */
  readonly max_elapsed_time?: number;
}

/** What the fields hold that a document leaves out. */
export const retryDefaults = {
  backoff: {
    initial_interval: 500,
    max_interval: 10000,
    max_elapsed_time: 60000
  },
  parallel: false,
  max_retries: 0
} as const satisfies Partial<RetryOptions>;
