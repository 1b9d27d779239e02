// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Buffer, Input } from "../../../component/component.ts";

/**
 * Keeps the messages of an input in a buffer. The field `buffer` of a stream does the same for the input of the stream.
 */
export interface BufferedInputOptions {
  /**
   * Input that the messages come from.
   */
  readonly child: Input;
  /**
   * Buffer that keeps the messages.
   */
  readonly buffer: Buffer;
}
