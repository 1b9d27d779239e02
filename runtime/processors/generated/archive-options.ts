// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Combines a whole batch into one message, with the metadata of the first message.
 */
export interface ArchiveOptions {
  /**
   * Format of the result: `concatenate` and `lines` join the contents, `json_array` joins the documents, `binary` puts the length before each message; `tar` and `zip` store each message as a file.
   */
  readonly format: "binary" | "concatenate" | "json_array" | "lines" | "tar" | "zip";
  /**
   * File name of each message in a `tar` or `zip` archive.
   */
  readonly path?: Text;
}

/** What the fields hold that a document leaves out. */
export const archiveDefaults = {
  path: ""
} as const satisfies Partial<ArchiveOptions>;
