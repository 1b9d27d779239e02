// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../component/scanner.ts";

/**
 * Removes a byte order mark for another scanner.
 */
export interface SkipBomScannerOptions {
  /**
   * Scanner for the result; `to_the_end` by default.
   */
  readonly into?: Scanner;
}
