// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../../component/scanner.ts";

/**
 * Reads the standard input of the gateway. Each line is a message. For development: messages that are read and not delivered are lost when the gateway stops.
 */
export interface StdinInputOptions {
  /**
   * Scanner that splits the content into messages; at the ends of lines by default.
   */
  readonly scanner?: Scanner;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const stdinInputDefaults = {
  auto_replay_nacks: true
} as const satisfies Partial<StdinInputOptions>;
