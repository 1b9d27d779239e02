// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Replaces each message with the result of a jq query. Several results become an array; a message without a result is dropped. `$metadata` contains the metadata of the message.
 */
export interface JqOptions {
  /**
   * Query, in the language of the jq manual. It cannot read files, modules or the environment.
   */
  readonly query: string;
  /**
   * Passes the content to the query as a string instead of JSON.
   */
  readonly raw?: boolean;
  /**
   * Writes strings without quotes. Several values are concatenated without a separator.
   */
  readonly output_raw?: boolean;
  /**
   * Maximum number of steps of the query per message. A message that exceeds it is flagged as failed. Values in arrays, function calls and loop iterations are steps.
   */
  readonly max_steps?: number;
}

/** What the fields hold that a document leaves out. */
export const jqDefaults = {
  raw: false,
  output_raw: false,
  max_steps: 5000000
} as const satisfies Partial<JqOptions>;
