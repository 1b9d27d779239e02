// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates one message from each batch: a Parquet file with a row for each document.
 */
export interface ParquetEncodeOptions {
  /**
   * The columns.
   */
  readonly schema: readonly object[];
  /**
   * Compression of the columns.
   */
  readonly default_compression?: "uncompressed" | "snappy" | "gzip" | "brotli" | "zstd" | "lz4raw";
  /**
   * Encoding of values: strings prefixed by their lengths, all values plain, or values from a dictionary.
   */
  readonly default_encoding?: "DELTA_LENGTH_BYTE_ARRAY" | "PLAIN" | "RLE_DICTIONARY";
}

/** What the fields hold that a document leaves out. */
export const parquetEncodeDefaults = {
  default_compression: "uncompressed",
  default_encoding: "DELTA_LENGTH_BYTE_ARRAY"
} as const satisfies Partial<ParquetEncodeOptions>;
