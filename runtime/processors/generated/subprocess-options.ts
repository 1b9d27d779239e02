// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Runs one long-lived program that answers each message with a message. Each is one line, unless other codecs are configured.
 */
export interface SubprocessOptions {
  /**
   * Name or path of the program to run. It is started without a shell, and `allow_unsafe` must list it.
   */
  readonly name: string;
  /**
   * Arguments of the program, passed unchanged.
   */
  readonly args?: readonly string[];
  /**
   * Maximum size in bytes of a message that the program writes.
   */
  readonly max_buffer?: number;
  /**
   * Framing of messages: one per line, or with a length prefix.
   */
  readonly codec_send?: "lines" | "length_prefixed_uint32_be" | "netstring";
  /**
   * Framing of messages: one per line, or with a length prefix.
   */
  readonly codec_recv?: "lines" | "length_prefixed_uint32_be" | "netstring";
  /**
   * Maximum time the program may take for a message. After it, the program is ended and the message fails.
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
