// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../component/scanner.ts";

/**
 * Leaves a byte order mark out for another scanner.
 */
export interface SkipBomScannerOptions {
  /**
   * The scanner of what comes out; `to_the_end` where it is left out.
   */
  readonly into?: Scanner;
}
