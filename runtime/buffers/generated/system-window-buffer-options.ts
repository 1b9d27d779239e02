// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Delivers messages in windows of time, each as one batch. A message is acknowledged once its window is delivered, so that a window holds no more than the input has under way at once.
 */
export interface SystemWindowBufferOptions {
  /**
   * Mapping that says when a message happened: a timestamp, seconds since 1970, or RFC 3339 text. Without it, when it was read.
   */
  readonly timestamp_mapping?: MappingFunction;
  /**
   * Length of a window.
   */
  readonly size: number;
  /**
   * Time from the beginning of a window to that of the next; less than `size`, windows overlap. Empty for one after the other.
   */
  readonly slide?: number;
  /**
   * Time from the full minute, hour or day to the beginning of windows.
   */
  readonly offset?: number;
  /**
   * How long after its end a window waits for messages that are late.
   */
  readonly allowed_lateness?: number;
}
