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
   * The scanner of what comes out; `to_the_end` where it is left out.
   */
  readonly into?: Scanner;
}
