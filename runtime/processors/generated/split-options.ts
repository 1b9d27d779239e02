// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Splits a batch into smaller batches, which are acknowledged together.
 */
export interface SplitOptions {
  /**
   * Maximum number of messages of a batch; 0 for no limit.
   */
  readonly size?: number;
  /**
   * Maximum size of a batch in bytes; 0 for no limit. A larger message becomes a batch of its own.
   */
  readonly byte_size?: number;
}

/** What the fields hold that a document leaves out. */
export const splitDefaults = {
  size: 1,
  byte_size: 0
} as const satisfies Partial<SplitOptions>;
