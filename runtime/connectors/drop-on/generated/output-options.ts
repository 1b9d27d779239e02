// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";

/**
 * Drops messages that its output fails on or does not take in time. They are lost.
 */
export interface DropOnOutputOptions {
  /**
   * Whether messages are dropped that the output fails on.
   */
  readonly error?: boolean;
  /**
   * Regular expressions (RE2); a message is dropped where one of them is found in the error.
   */
  readonly error_patterns?: readonly string[];
  /**
   * How long the output may take before a message is dropped; 0 for any time.
   */
  readonly back_pressure?: number;
  /**
   * Where messages go.
   */
  readonly output: Output;
}

/** What the fields hold that a document leaves out. */
export const dropOnOutputDefaults = {
  error: false,
  error_patterns: [],
  back_pressure: 0
} as const satisfies Partial<DropOnOutputOptions>;
