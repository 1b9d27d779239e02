// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Runs a program and writes messages to its standard input, each as a line. A message counts as delivered once the operating system has accepted it, because the program sends no confirmation.
 */
export interface SubprocessOutputOptions {
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
}

/** What the fields hold that a document leaves out. */
export const subprocessOutputDefaults = {
  args: [],
  codec: "lines"
} as const satisfies Partial<SubprocessOutputOptions>;
