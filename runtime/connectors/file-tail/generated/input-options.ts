// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads the lines of a file that others write, and waits for more. If the file is replaced or truncated, it is read from its beginning. For development: the position in the file is not kept when the gateway stops.
 */
export interface FileTailInputOptions {
  /**
   * File to read.
   */
  readonly path: string;
  /**
   * Pause before the file is checked again, after its last line.
   */
  readonly poll_interval?: number;
  /**
   * Maximum number of lines in flight. The next line is read when one of them is confirmed.
   */
  readonly line_buffer?: number;
  /**
   * Maximum size of a line in bytes. A longer line is skipped, which is logged.
   */
  readonly max_line_bytes?: number;
  /**
   * Position to start from: the first line, or the lines that are written from now on.
   */
  readonly start_position?: "start" | "end";
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
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
