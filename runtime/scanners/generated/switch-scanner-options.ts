// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../component/scanner.ts";

/**
 * Chooses a scanner by the name of the source, such as the path of a file. The list of cases may be written directly under `switch`.
 */
export interface SwitchScannerOptions {
  /**
   * The first whose pattern is found in the name is taken.
   */
  readonly cases: readonly ScannerCase[];
}
/**
 * One case.
 */
export interface ScannerCase {
  /**
   * Regular expression (RE2) to find in the name; without it, all names.
   */
  readonly re_match_name?: string;
  /**
   * The scanner of such sources.
   */
  readonly scanner: Scanner;
}
