// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Runs one program all along, which answers each message with one: a line for a line, unless other codecs are asked for.
 */
export interface SubprocessOptions {
  /**
   * Program to run, by its name or path. It is started without a shell, and `allow_unsafe` has to name it.
   */
  readonly name: string;
  /**
   * Arguments of the program, which gets them as they are.
   */
  readonly args?: readonly string[];
  /**
   * Bytes of the longest message that the program may write.
   */
  readonly max_buffer?: number;
  /**
   * How messages are separated: one per line, or with a length prefix.
   */
  readonly codec_send?: "lines" | "length_prefixed_uint32_be" | "netstring";
  /**
   * How messages are separated: one per line, or with a length prefix.
   */
  readonly codec_recv?: "lines" | "length_prefixed_uint32_be" | "netstring";
  /**
   * How long the program may take for a message before it is ended, and the message fails.
   */
  readonly timeout?: number;
}

/** What the fields hold that a document leaves out. */
export const subprocessDefaults = {
  args: [],
  max_buffer: 65536,
  codec_send: "lines",
  codec_recv: "lines",
  timeout: 30000
} as const satisfies Partial<SubprocessOptions>;
