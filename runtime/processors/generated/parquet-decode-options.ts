// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes a message of each row of a Parquet file, with the metadata of the file's message.
 */
export interface ParquetDecodeOptions {
  /**
   * Give lists as `{"list": [{"element": 1}]}` instead of arrays.
   */
  readonly use_parquet_list_format?: boolean;
  /**
   * Largest number of rows of a file; one that has more is flagged.
   */
  readonly max_messages?: number;
}

/** What the fields hold that a document leaves out. */
export const parquetDecodeDefaults = {
  use_parquet_list_format: true,
  max_messages: 100000
} as const satisfies Partial<ParquetDecodeOptions>;
