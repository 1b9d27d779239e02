// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps values in the memory of this process, within a number of entries; a restart forgets them.
 */
export interface RistrettoCacheOptions {
  /**
   * How long a value is kept that is written without a time of its own; empty for good.
   */
  readonly default_ttl?: number;
}

/** What the fields hold that a document leaves out. */
export const ristrettoCacheDefaults = {
  default_ttl: 0
} as const satisfies Partial<RistrettoCacheOptions>;
