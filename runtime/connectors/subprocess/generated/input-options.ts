// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Runs a program and reads the lines that it writes to its standard output, each as a message. Lines in flight are lost when the gateway stops.
 */
export interface SubprocessInputOptions {
  /**
   * Name or path of the program to run. It is started without a shell, and `allow_unsafe` must list it.
   */
  readonly name: string;
  /**
   * Arguments of the program, passed unchanged.
   */
  readonly args?: readonly string[];
  /**
   * How messages are separated.
   */
  readonly codec?: "lines";
  /**
   * Whether the program is restarted each time it ends. Otherwise the input ends with the program.
   */
  readonly restart_on_exit?: boolean;
  /**
   * Maximum size in bytes of a message that the program writes.
   */
  readonly max_buffer?: number;
}

/** What the fields hold that a document leaves out. */
export const subprocessInputDefaults = {
  args: [],
  codec: "lines",
  restart_on_exit: false,
  max_buffer: 65536
} as const satisfies Partial<SubprocessInputOptions>;
