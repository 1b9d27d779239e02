// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../component/scanner.ts";

/**
 * Unpacks a compressed source for another scanner, as far as that reads.
 */
export interface DecompressScannerOptions {
  /**
   * How the source is compressed.
   */
  readonly algorithm: "gzip" | "pgzip" | "zlib" | "flate" | "zstd";
  /**
   * The scanner of the result; `to_the_end` by default.
   */
  readonly into?: Scanner;
}
