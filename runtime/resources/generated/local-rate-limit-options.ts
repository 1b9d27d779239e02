// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Limits the number of messages or requests in each interval, counted in this process.
 */
export interface LocalRateLimitOptions {
  /**
   * Number of messages or requests that are allowed in each interval.
   */
  readonly count?: number;
  /**
   * Bytes that are allowed in each interval. The message that reaches the limit is the last one allowed. 0 disables this limit.
   */
  readonly byte_size?: number;
  /**
   * Length of an interval. It starts with the first message after the previous interval.
   */
  readonly interval?: number;
}

/** What the fields hold that a document leaves out. */
export const localRateLimitDefaults = {
  count: 1000,
  byte_size: 0,
  interval: 1000
} as const satisfies Partial<LocalRateLimitOptions>;
