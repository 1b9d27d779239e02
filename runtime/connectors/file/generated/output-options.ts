// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";

/**
 * Writes messages to files. For development.
 */
export interface FileOutputOptions {
  /**
   * File to write to. Its folder is created if it does not exist. Values that are computed from messages cannot move up the path with `..`.
   */
  readonly path: Text;
  /**
   * How messages are written: each as a line (`lines`), with another delimiter at its end (`delim:X`), appended unchanged (`append`), or as the whole file (`all-bytes`).
   */
  readonly codec?: string;
}

/** What the fields hold that a document leaves out. */
export const fileOutputDefaults = {
  codec: "lines"
} as const satisfies Partial<FileOutputOptions>;
