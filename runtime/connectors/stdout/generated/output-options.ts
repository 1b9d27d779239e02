// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Writes messages to standard output. For development.
 */
export interface StdoutOutputOptions {
  /**
   * How messages are written: each as a line (`lines`), with another delimiter at its end (`delim:X`), or unchanged (`append`, `all-bytes`).
   */
  readonly codec?: string;
}

/** What the fields hold that a document leaves out. */
export const stdoutOutputDefaults = {
  codec: "lines"
} as const satisfies Partial<StdoutOutputOptions>;
