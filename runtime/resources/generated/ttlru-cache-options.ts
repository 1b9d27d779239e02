// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps a bounded number of values in the memory of this process, each for a time. Beyond the bound, the value that was used longest ago goes.
 */
export interface TtlruCacheOptions {
  /**
   * The most values that are kept.
   */
  readonly cap?: number;
  /**
   * How long a value is kept that is written without a time of its own.
   */
  readonly default_ttl?: number;
  /**
   * Values that are there from the start, for `default_ttl`.
   */
  readonly init_values?: Readonly<Record<string, string>>;
  /**
   * Whether reading a value leaves its time as it is. Otherwise its time begins anew.
   */
  readonly without_reset?: boolean;
}

/** What the fields hold that a document leaves out. */
export const ttlruCacheDefaults = {
  cap: 1024,
  default_ttl: 300000,
  without_reset: false
} as const satisfies Partial<TtlruCacheOptions>;
