// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes messages of a number of bytes each.
 */
export interface ChunkerScannerOptions {
  /**
   * Bytes of each message; the last one has what is left.
   */
  readonly size: number;
}
