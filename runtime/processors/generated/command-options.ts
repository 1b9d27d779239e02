// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Runs a program for each message. The program reads the message from its standard input, and its standard output replaces the message.
 */
export interface CommandOptions {
  /**
   * Name or path of the program to run. It is started without a shell, and `allow_unsafe` must list it.
   */
  readonly name: string;
  /**
   * Mapping that returns the array of arguments. Values from messages are passed to the program unchanged.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * Maximum time the program may take for a message. After it, the program is ended and the message fails.
   */
  readonly timeout?: number;
  /**
   * Maximum output of the program for a message, in bytes. If it writes more, it is ended and the message fails.
   */
  readonly max_output_bytes?: number;
}

/** What the fields hold that a document leaves out. */
export const commandDefaults = {
  timeout: 30000,
  max_output_bytes: 16777216
} as const satisfies Partial<CommandOptions>;
