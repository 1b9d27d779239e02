// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../../component/scanner.ts";

/**
 * Reads files, one after the other. Each line or each file is a message. For development: what was read when the gateway stops is read again at its next start.
 */
export interface FileInputOptions {
  /**
   * Files to read, in this order; `*`, `?`, `[…]` and `**` match parts of names. Relative paths start at the working directory of the gateway.
   */
  readonly paths: readonly string[];
  /**
   * Whether values of requests in `paths` may contain wildcards, which let clients choose what they read. Otherwise such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Scanner that splits the content into messages; at the ends of lines by default.
   */
  readonly scanner?: Scanner;
  /**
   * Whether a file is deleted after all of it is delivered.
   */
  readonly delete_on_finish?: boolean;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const fileInputDefaults = {
  allow_wildcards: false,
  delete_on_finish: false,
  auto_replay_nacks: true
} as const satisfies Partial<FileInputOptions>;
