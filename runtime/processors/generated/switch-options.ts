// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Runs the processors of the first case whose check is true for a message. A message that matches no case passes unchanged. The list of cases may be written directly under `switch`.
 */
export interface SwitchOptions {
  /**
   * Cases, tried in order.
   */
  readonly cases: readonly SwitchCase[];
}
/**
 * A case.
 */
export interface SwitchCase {
  /**
   * Query that is true if the case applies to a message. If it is omitted, the case applies to all messages.
   */
  readonly check?: QueryFunction;
  /**
   * Processors that run on the messages to which the case applies.
   */
  readonly processors?: readonly Processor[];
  /**
   * Also runs the processors of the next case, without its check.
   */
  readonly fallthrough?: boolean;
}
