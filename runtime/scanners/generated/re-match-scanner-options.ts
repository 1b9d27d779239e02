// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Splits the source before each match of a pattern.
 */
export interface ReMatchScannerOptions {
  /**
   * Regular expression (RE2) that matches the beginning of a message.
   */
  readonly pattern: string;
  /**
   * Maximum size of a message in bytes.
   */
  readonly max_buffer_size?: number;
}

/** What the fields hold that a document leaves out. */
export const reMatchScannerDefaults = {
  max_buffer_size: 65536
} as const satisfies Partial<ReMatchScannerOptions>;
