// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Breaks a batch up into smaller ones, which are acknowledged together.
 */
export interface SplitOptions {
  /**
   * Largest number of messages of a batch; 0 is no limit.
   */
  readonly size?: number;
  /**
   * Largest number of bytes of a batch; a larger message becomes a batch of its own. 0 means no limit.
   */
  readonly byte_size?: number;
}

/** What the fields hold that a document leaves out. */
export const splitDefaults = {
  size: 1,
  byte_size: 0
} as const satisfies Partial<SplitOptions>;
