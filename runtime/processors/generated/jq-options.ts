// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Replaces each message by what a query of jq makes of it: several values become an array, and a message of which nothing comes is dropped. `$metadata` has the metadata of the message.
 */
export interface JqOptions {
  /**
   * The query, in the language of the jq manual. It reads no files, modules or environment.
   */
  readonly query: string;
  /**
   * Give the query the content as a text, not as JSON.
   */
  readonly raw?: boolean;
  /**
   * Write texts without quotes; several values follow each other without anything between them.
   */
  readonly output_raw?: boolean;
  /**
   * Largest number of steps that the query may take on a message, which is flagged beyond it; a value in an array, a call of a function and a round of a loop are steps.
   */
  readonly max_steps?: number;
}

/** What the fields hold that a document leaves out. */
export const jqDefaults = {
  raw: false,
  output_raw: false,
  max_steps: 5000000
} as const satisfies Partial<JqOptions>;
