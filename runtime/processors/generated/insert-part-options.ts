// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Inserts a message into a batch.
 */
export interface InsertPartOptions {
  /**
   * Index of the new message in the resulting batch; 0 is the first, -1 the last.
   */
  readonly index?: number;
  /**
   * Content of the new message. Queries in it see the first message of the batch.
   */
  readonly content?: Text;
}

/** What the fields hold that a document leaves out. */
export const insertPartDefaults = {
  index: -1,
  content: ""
} as const satisfies Partial<InsertPartOptions>;
