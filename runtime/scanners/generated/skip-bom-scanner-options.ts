// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../component/scanner.ts";

/**
 * Leaves a byte order mark out for another scanner.
 */
export interface SkipBomScannerOptions {
  /**
   * The scanner of the result; `to_the_end` by default.
   */
  readonly into?: Scanner;
}
