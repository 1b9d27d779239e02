// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads the standard input of the gateway; each line is a message. For development: what was read and not delivered is lost when the gateway stops.
 */
export interface StdinInputOptions {
  readonly scanner?: Scanner;
  /**
   * Whether a message that could not be delivered is tried again until it is; else it is given up, which the log tells.
   */
  readonly auto_replay_nacks?: boolean;
}
/**
 * How what is read is cut into messages: at the ends of lines, unless something else is asked for.
 */
export interface Scanner {
  readonly lines?: Lines;
}
/**
 * Cuts where lines end.
 */
export interface Lines {
  /**
   * What ends a line in place of a line feed.
   */
  readonly custom_delimiter?: string;
  /**
   * Bytes of the longest line.
   */
  readonly max_buffer_size?: number;
  /**
   * Whether empty lines are passed over.
   */
  readonly omit_empty?: boolean;
}

/** What the fields hold that a document leaves out. */
export const stdinInputDefaults = {
  scanner: {
    lines: {
      custom_delimiter: "",
      max_buffer_size: 65536,
      omit_empty: false
    }
  },
  auto_replay_nacks: true
} as const satisfies Partial<StdinInputOptions>;
