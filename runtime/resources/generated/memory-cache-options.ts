// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps values in the memory of this process; a restart forgets them.
 */
export interface MemoryCacheOptions {
  /**
   * How long a value is kept that is written without a time of its own.
   */
  readonly default_ttl?: number;
  /**
   * How often values past their time are cleared out, at a write. An empty text keeps values for good.
   */
  readonly compaction_interval?: number;
  /**
   * Values that are there from the start and have no time limit until they are overwritten.
   */
  readonly init_values?: Readonly<Record<string, string>>;
  /**
   * Accepted for documents of the reference engine; there are no locks to spread here.
   */
  readonly shards?: number;
  /**
   * Values kept at most; beyond that the one written longest ago goes.
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
