// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads the rows of Parquet files, each as a message, then ends. For development.
 */
export interface ParquetInputOptions {
  /**
   * Files to read, one after the other; `*` stands for parts of names, `**` for folders.
   */
  readonly paths: readonly string[];
  /**
   * Rows of one batch.
   */
  readonly batch_count?: number;
  /**
   * Whether a message that could not be delivered is tried again until it is; else it is given up, which is logged.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const parquetInputDefaults = {
  batch_count: 1,
  auto_replay_nacks: true
} as const satisfies Partial<ParquetInputOptions>;
