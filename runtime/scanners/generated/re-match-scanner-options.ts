// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Cuts in front of each match of a pattern.
 */
export interface ReMatchScannerOptions {
  /**
   * Regular expression (RE2) that messages begin with.
   */
  readonly pattern: string;
  /**
   * Bytes of the longest message.
   */
  readonly max_buffer_size?: number;
}

/** What the fields hold that a document leaves out. */
export const reMatchScannerDefaults = {
  max_buffer_size: 65536
} as const satisfies Partial<ReMatchScannerOptions>;
