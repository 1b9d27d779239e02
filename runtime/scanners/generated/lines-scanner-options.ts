// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates a message from each line.
 */
export interface LinesScannerOptions {
  /**
   * Line delimiter instead of a line feed.
   */
  readonly custom_delimiter?: string;
  /**
   * Maximum size of a line in bytes.
   */
  readonly max_buffer_size?: number;
  /**
   * Skips empty lines.
   */
  readonly omit_empty?: boolean;
}

/** What the fields hold that a document leaves out. */
export const linesScannerDefaults = {
  custom_delimiter: "",
  max_buffer_size: 65536,
  omit_empty: false
} as const satisfies Partial<LinesScannerOptions>;
