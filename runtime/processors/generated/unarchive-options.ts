// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes messages of what each message holds, with its metadata; `tar` and `zip` add `archive_filename`, `json_map` adds `archive_key`.
 */
export interface UnarchiveOptions {
  /**
   * What messages hold: `binary`, `tar` and `zip` as `archive` makes them, `lines`, `json_array` with a message in each element, `json_map` with one in each field, `json_documents` one after the other, `csv` with names in its first row, or `csv:` and the character between its values.
   */
  readonly format: string;
  /**
   * Largest size of all that comes out of one message; a message that holds more is flagged.
   */
  readonly max_bytes?: number;
  /**
   * Largest number of messages that come out of one; a message that holds more is flagged.
   */
  readonly max_messages?: number;
}

/** What the fields hold that a document leaves out. */
export const unarchiveDefaults = {
  max_bytes: 67108864,
  max_messages: 100000
} as const satisfies Partial<UnarchiveOptions>;
