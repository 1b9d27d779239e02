// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Drops whole batches that are out of bounds. Dropped batches count as processed.
 */
export interface BoundsCheckOptions {
  /**
   * Largest size of a message in bytes.
   */
  readonly max_part_size?: number;
  /**
   * Smallest size of a message in bytes.
   */
  readonly min_part_size?: number;
  /**
   * Largest number of messages in a batch.
   */
  readonly max_parts?: number;
  /**
   * Smallest number of messages in a batch.
   */
  readonly min_parts?: number;
}

/** What the fields hold that a document leaves out. */
export const boundsCheckDefaults = {
  max_part_size: 1073741824,
  min_part_size: 1,
  max_parts: 100,
  min_parts: 1
} as const satisfies Partial<BoundsCheckOptions>;
