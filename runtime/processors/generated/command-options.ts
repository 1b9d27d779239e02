// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Runs a program for each message, which it reads from its standard input; what it writes to its standard output takes the place of the message.
 */
export interface CommandOptions {
  /**
   * Program to run, by its name or path. It is started without a shell, and `allow_unsafe` has to name it.
   */
  readonly name: string;
  /**
   * Mapping that makes the array of arguments. What of it comes from messages reaches the program as it is.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * How long the program may take for a message before it is ended, and the message fails.
   */
  readonly timeout?: number;
  /**
   * Bytes that the program may write for a message; more of them end it, and the message fails.
   */
  readonly max_output_bytes?: number;
}

/** What the fields hold that a document leaves out. */
export const commandDefaults = {
  timeout: 30000,
  max_output_bytes: 16777216
} as const satisfies Partial<CommandOptions>;
