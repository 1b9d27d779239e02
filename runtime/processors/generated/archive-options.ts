// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Makes one message of a whole batch, with the metadata of its first message.
 */
export interface ArchiveOptions {
  /**
   * How the messages become one: `concatenate` and `lines` join their contents, `json_array` their documents, `binary` puts the length before each; `tar` and `zip` make a file of each.
   */
  readonly format: "binary" | "concatenate" | "json_array" | "lines" | "tar" | "zip";
  /**
   * Name of each message in a `tar` or `zip`.
   */
  readonly path?: Text;
}

/** What the fields hold that a document leaves out. */
export const archiveDefaults = {
  path: ""
} as const satisfies Partial<ArchiveOptions>;
