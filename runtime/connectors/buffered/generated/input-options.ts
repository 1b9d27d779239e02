// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Buffer, Input } from "../../../component/component.ts";

/**
 * Keeps the messages of an input in a buffer. The field `buffer` of a stream does so for the stream's input.
 */
export interface BufferedInputOptions {
  /**
   * Where messages come from.
   */
  readonly child: Input;
  /**
   * Where they are kept.
   */
  readonly buffer: Buffer;
}
