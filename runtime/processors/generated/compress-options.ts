// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Compresses the content of each message.
 */
export interface CompressOptions {
  /**
   * Compression algorithm.
   */
  readonly algorithm: "flate" | "gzip" | "lz4" | "pgzip" | "snappy" | "zlib" | "zstd";
  /**
   * Compression level from 0 (no compression) to 9 (best compression); -1 is the default level, -2 looks for no repetitions. `lz4`, `snappy` and `zstd` have no levels here.
   */
  readonly level?: number;
}

/** What the fields hold that a document leaves out. */
export const compressDefaults = {
  level: -1
} as const satisfies Partial<CompressOptions>;
