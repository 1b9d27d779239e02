// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * So many messages or requests in each interval, counted in this process.
 */
export interface LocalRateLimitOptions {
  /**
   * How many go through in an interval.
   */
  readonly count?: number;
  /**
   * Bytes that go through in an interval; the message that reaches the number is the last one. 0 does not count bytes.
   */
  readonly byte_size?: number;
  /**
   * How long an interval lasts; it begins with the first message after the one before.
   */
  readonly interval?: number;
}

/** What the fields hold that a document leaves out. */
export const localRateLimitDefaults = {
  count: 1000,
  byte_size: 0,
  interval: 1000
} as const satisfies Partial<LocalRateLimitOptions>;
