// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Decompresses the content of each message.
 */
export interface DecompressOptions {
  /**
   * Compression algorithm of the content.
   */
  readonly algorithm: "bzip2" | "flate" | "gzip" | "lz4" | "pgzip" | "snappy" | "zlib" | "zstd";
  /**
   * Maximum decompressed size of one message, in bytes. A larger message is flagged as failed.
   */
  readonly max_bytes?: number;
}

/** What the fields hold that a document leaves out. */
export const decompressDefaults = {
  max_bytes: 67108864
} as const satisfies Partial<DecompressOptions>;
