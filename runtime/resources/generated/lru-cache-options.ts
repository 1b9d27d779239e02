// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Stores a limited number of values in the memory of this process. If the limit is exceeded, the least recently used value is evicted.
 */
export interface LruCacheOptions {
  /**
   * Maximum number of values.
   */
  readonly cap?: number;
  /**
   * Initial values.
   */
  readonly init_values?: Readonly<Record<string, string>>;
  /**
   * Eviction algorithm: `standard` evicts the least recently used value.
   */
  readonly algorithm?: "standard" | "arc" | "two_queues";
}

/** What the fields hold that a document leaves out. */
export const lruCacheDefaults = {
  cap: 1000,
  algorithm: "standard"
} as const satisfies Partial<LruCacheOptions>;
