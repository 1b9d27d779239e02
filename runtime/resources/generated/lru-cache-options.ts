// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps a bounded number of values in the memory of this process. Beyond it, the value that was used longest ago goes.
 */
export interface LruCacheOptions {
  /**
   * The most values that are kept.
   */
  readonly cap?: number;
  /**
   * Values that are there from the start.
   */
  readonly init_values?: Readonly<Record<string, string>>;
  /**
   * What decides which value goes: `standard` is the one used longest ago.
   */
  readonly algorithm?: "standard" | "arc" | "two_queues";
}

/** What the fields hold that a document leaves out. */
export const lruCacheDefaults = {
  cap: 1000,
  algorithm: "standard"
} as const satisfies Partial<LruCacheOptions>;
