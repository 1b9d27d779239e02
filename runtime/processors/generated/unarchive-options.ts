// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Splits each message into the messages it contains, with its metadata; `tar` and `zip` add `archive_filename`, `json_map` adds `archive_key`.
 */
export interface UnarchiveOptions {
  /**
   * Format of the messages: `binary`, `tar` and `zip` as created by `archive`, `lines`, `json_array` with a message in each element, `json_map` with a message in each field, `json_documents` one after the other, `csv` with names in its first row, or `csv:` followed by the separator.
   */
  readonly format: string;
  /**
   * Maximum total size of the messages from one message. A message that contains more is flagged as failed.
   */
  readonly max_bytes?: number;
  /**
   * Maximum number of messages from one message. A message that contains more is flagged as failed.
   */
  readonly max_messages?: number;
}

/** What the fields hold that a document leaves out. */
export const unarchiveDefaults = {
  max_bytes: 67108864,
  max_messages: 100000
} as const satisfies Partial<UnarchiveOptions>;
