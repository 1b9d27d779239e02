// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates a message from each row of a Parquet file, with the metadata of the original message.
 */
export interface ParquetDecodeOptions {
  /**
   * Returns lists as `{"list": [{"element": 1}]}` instead of arrays.
   */
  readonly use_parquet_list_format?: boolean;
  /**
   * Maximum number of rows of a file. A file with more rows is flagged as failed.
   */
  readonly max_messages?: number;
}

/** What the fields hold that a document leaves out. */
export const parquetDecodeDefaults = {
  use_parquet_list_format: true,
  max_messages: 100000
} as const satisfies Partial<ParquetDecodeOptions>;
