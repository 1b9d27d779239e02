// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Delivers messages in time windows, each as one batch. A message is acknowledged once its window is delivered, so a window contains at most the messages that the input may have in flight.
 */
export interface SystemWindowBufferOptions {
  /**
   * Mapping that returns the time of a message: a timestamp, seconds since 1970, or RFC 3339 text. If it is omitted, the time at which the message was read is used.
   */
  readonly timestamp_mapping?: MappingFunction;
  /**
   * Length of a window.
   */
  readonly size: number;
  /**
   * Time between the starts of consecutive windows. If it is less than `size`, windows overlap. If it is empty, windows follow each other.
   */
  readonly slide?: number;
  /**
   * Offset of the start of windows from the full minute, hour or day.
   */
  readonly offset?: number;
  /**
   * Time that a window waits for late messages after its end.
   */
  readonly allowed_lateness?: number;
}
