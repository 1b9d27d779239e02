// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates messages of a fixed size in bytes.
 */
export interface ChunkerScannerOptions {
  /**
   * Size of each message in bytes. The last message contains the remaining bytes.
   */
  readonly size: number;
}
