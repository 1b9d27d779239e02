// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";

/**
 * Writes messages to files. For development.
 */
export interface FileOutputOptions {
  /**
   * File to write, whose folder is made where it is missing. What is computed from messages cannot climb up by `..`.
   */
  readonly path: Text;
  /**
   * How messages are written: each as the `lines` of the file or with another end (`delim:X`), appended as they are (`append`), or as the whole file (`all-bytes`).
   */
  readonly codec?: string;
}

/** What the fields hold that a document leaves out. */
export const fileOutputDefaults = {
  codec: "lines"
} as const satisfies Partial<FileOutputOptions>;
