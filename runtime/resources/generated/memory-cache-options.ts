// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Stores values in the memory of this process. They are lost on restart.
 */
export interface MemoryCacheOptions {
  /**
   * Default time to live of values.
   */
  readonly default_ttl?: number;
  /**
   * Interval at which expired values are removed, on a write. If it is empty, values never expire.
   */
  readonly compaction_interval?: number;
  /**
   * Initial values, which do not expire until they are overwritten.
   */
  readonly init_values?: Readonly<Record<string, string>>;
  /**
   * Accepted for compatibility with documents of the reference engine. It has no effect, because there are no locks to distribute.
   */
  readonly shards?: number;
  /**
   * Maximum number of values. If it is exceeded, the oldest written value is evicted.
   */
  readonly max_entries?: number;
}

/** What the fields hold that a document leaves out. */
export const memoryCacheDefaults = {
  default_ttl: 300000,
  compaction_interval: 60000,
  shards: 1,
  max_entries: 1000000
} as const satisfies Partial<MemoryCacheOptions>;
