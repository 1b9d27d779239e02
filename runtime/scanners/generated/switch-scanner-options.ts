// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../component/scanner.ts";

/**
 * Chooses a scanner by the name of the source, such as the path of a file. The list of cases may be written directly under `switch`.
 */
export interface SwitchScannerOptions {
  /**
   * Cases. The first case whose pattern matches the name applies.
   */
  readonly cases: readonly ScannerCase[];
}
/**
 * A case.
 */
export interface ScannerCase {
  /**
   * Regular expression (RE2) to search for in the name. If it is omitted, all names match.
   */
  readonly re_match_name?: string;
  /**
   * Scanner for these sources.
   */
  readonly scanner: Scanner;
}
