// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../../component/scanner.ts";

/**
 * Reads files, one after the other; each line is a message, or each file. For development: what was read when the gateway stops is read again at its next start.
 */
export interface FileInputOptions {
  /**
   * Files to read, in this order; `*`, `?`, `[…]` and `**` stand for parts of names. Relative ones begin where the gateway was started.
   */
  readonly paths: readonly string[];
  /**
   * Whether values of requests in `paths` may hold wildcards, with which clients choose what they read; else such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * How what is read is cut into messages: at the ends of lines, unless something else is asked for.
   */
  readonly scanner?: Scanner;
  /**
   * Whether a file is removed once all of it is delivered.
   */
  readonly delete_on_finish?: boolean;
  /**
   * Whether a message that could not be delivered is tried again until it is; else it is given up, which the log tells.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const fileInputDefaults = {
  allow_wildcards: false,
  delete_on_finish: false,
  auto_replay_nacks: true
} as const satisfies Partial<FileInputOptions>;
