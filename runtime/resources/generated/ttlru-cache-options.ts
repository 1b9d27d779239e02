// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Stores a limited number of values in the memory of this process, each with a time to live. If the limit is exceeded, the least recently used value is evicted.
 */
export interface TtlruCacheOptions {
  /**
   * Maximum number of values.
   */
  readonly cap?: number;
  /**
   * Default time to live of values.
   */
  readonly default_ttl?: number;
  /**
   * Initial values, which expire after `default_ttl`.
   */
  readonly init_values?: Readonly<Record<string, string>>;
  /**
   * Whether reading a value does not restart its time to live. Otherwise a read restarts it.
   */
  readonly without_reset?: boolean;
}

/** What the fields hold that a document leaves out. */
export const ttlruCacheDefaults = {
  cap: 1024,
  default_ttl: 300000,
  without_reset: false
} as const satisfies Partial<TtlruCacheOptions>;
