// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Stores a limited number of entries in the memory of this process. They are lost on restart.
 */
export interface RistrettoCacheOptions {
  /**
   * Default time to live of values; empty for no expiry.
   */
  readonly default_ttl?: number;
}

/** What the fields hold that a document leaves out. */
export const ristrettoCacheDefaults = {
  default_ttl: 0
} as const satisfies Partial<RistrettoCacheOptions>;
