// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on each message separately. If they fail, they run again on the original message. After the last attempt, the message continues with an error flag. The results have the metadata `retry_count` and `backoff_duration` (nanoseconds).
 */
export interface RetryOptions {
  readonly backoff?: RetryBackoff;
  /**
   * Processors to run.
   */
  readonly processors: readonly Processor[];
  /**
   * Processes all messages of a batch concurrently instead of one after the other.
   */
  readonly parallel?: boolean;
  /**
   * Maximum number of retries after the first attempt; 0 for no limit.
   */
  readonly max_retries?: number;
}
/**
 * Delays between attempts, which double each time.
 */
export interface RetryBackoff {
  /**
   * First delay.
   */
  readonly initial_interval?: number;
  /**
   * Maximum delay.
   */
  readonly max_interval?: number;
  /**
   * Time after which no further attempt starts; 0s for no limit.
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
