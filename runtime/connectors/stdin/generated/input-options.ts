// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../../component/scanner.ts";

/**
 * Reads the standard input of the gateway; each line is a message. For development: what was read and not delivered is lost when the gateway stops.
 */
export interface StdinInputOptions {
  /**
   * How what is read is cut into messages: at the ends of lines, unless something else is asked for.
   */
  readonly scanner?: Scanner;
  /**
   * Whether a message that could not be delivered is tried again until it is; else it is given up, which the log tells.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const stdinInputDefaults = {
  auto_replay_nacks: true
} as const satisfies Partial<StdinInputOptions>;
