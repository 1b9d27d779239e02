// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads the lines of a file that others write, and waits for more. A file that takes its place, and one that is cut off, is read from its beginning. For development: how far the file was read is not kept when the gateway stops.
 */
export interface FileTailInputOptions {
  /**
   * File to read.
   */
  readonly path: string;
  /**
   * Pause before the file is looked at again, after its last line.
   */
  readonly poll_interval?: number;
  /**
   * Lines under way at once; the next one is read when one of them is confirmed.
   */
  readonly line_buffer?: number;
  /**
   * Bytes of the longest line; a longer one is passed over, which is logged.
   */
  readonly max_line_bytes?: number;
  /**
   * Where to begin: with the first line, or with those that are written from now on.
   */
  readonly start_position?: "start" | "end";
  /**
   * Whether a message that could not be delivered is tried again until it is; else it is given up, which is logged.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const fileTailInputDefaults = {
  poll_interval: 1000,
  line_buffer: 1000,
  max_line_bytes: 1048576,
  start_position: "start",
  auto_replay_nacks: true
} as const satisfies Partial<FileTailInputOptions>;
