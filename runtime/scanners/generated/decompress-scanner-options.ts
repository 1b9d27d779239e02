// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../component/scanner.ts";

/**
 * Decompresses a source for another scanner, only as far as that scanner reads.
 */
export interface DecompressScannerOptions {
  /**
   * Compression algorithm of the source.
   */
  readonly algorithm: "gzip" | "pgzip" | "zlib" | "flate" | "snappy" | "zstd";
  /**
   * Scanner for the result; `to_the_end` by default.
   */
  readonly into?: Scanner;
}
