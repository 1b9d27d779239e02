// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";

/**
 * Drops messages that its output fails on or does not accept in time. Dropped messages are lost.
 */
export interface DropOnOutputOptions {
  /**
   * Whether messages that the output fails on are dropped.
   */
  readonly error?: boolean;
  /**
   * Regular expressions (RE2). A message is dropped if one of them matches the error.
   */
  readonly error_patterns?: readonly string[];
  /**
   * Maximum time that the output may take before a message is dropped; 0 means no limit.
   */
  readonly back_pressure?: number;
  /**
   * Output that the messages go to.
   */
  readonly output: Output;
}

/** What the fields hold that a document leaves out. */
export const dropOnOutputDefaults = {
  error: false,
  error_patterns: [],
  back_pressure: 0
} as const satisfies Partial<DropOnOutputOptions>;
