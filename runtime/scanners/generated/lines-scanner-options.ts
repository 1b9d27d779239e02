// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes a message of each line.
 */
export interface LinesScannerOptions {
  /**
   * What ends a line in place of a line feed.
   */
  readonly custom_delimiter?: string;
  /**
   * Bytes of the longest line.
   */
  readonly max_buffer_size?: number;
  /**
   * Whether empty lines are passed over.
   */
  readonly omit_empty?: boolean;
}

/** What the fields hold that a document leaves out. */
export const linesScannerDefaults = {
  custom_delimiter: "",
  max_buffer_size: 65536,
  omit_empty: false
} as const satisfies Partial<LinesScannerOptions>;
