// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Compresses the content of each message.
 */
export interface CompressOptions {
  /**
   * How to compress.
   */
  readonly algorithm: "flate" | "gzip" | "lz4" | "pgzip" | "snappy" | "zlib" | "zstd";
  /**
   * From 0, which does not compress, to 9, which does it best; -1 is the usual one, -2 looks for no repetitions. `lz4`, `snappy` and `zstd` have no levels here.
   */
  readonly level?: number;
}

/** What the fields hold that a document leaves out. */
export const compressDefaults = {
  level: -1
} as const satisfies Partial<CompressOptions>;
