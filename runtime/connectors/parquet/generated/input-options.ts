// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads the rows of Parquet files, each as a message, then ends. For development.
 */
export interface ParquetInputOptions {
  /**
   * Files to read, one after the other; `*` matches parts of names, `**` matches folders.
   */
  readonly paths: readonly string[];
  /**
   * Number of rows in a batch.
   */
  readonly batch_count?: number;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const parquetInputDefaults = {
  batch_count: 1,
  auto_replay_nacks: true
} as const satisfies Partial<ParquetInputOptions>;
