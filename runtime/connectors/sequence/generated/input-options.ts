// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Input } from "../../../component/component.ts";

/**
 * Reads from one input after the other: the next one starts when the one before has given all it had.
 */
export interface SequenceInputOptions {
  /**
   * The inputs in order.
   */
  readonly inputs: readonly (() => Input)[];
}
