// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Runs the processors of the first case whose check holds for a message; a message no case takes passes unchanged. The list of cases may be written directly under `switch`.
 */
export interface SwitchOptions {
  /**
   * Cases in the order they are tried.
   */
  readonly cases: readonly SwitchCase[];
}
/**
 * One case.
 */
export interface SwitchCase {
  /**
   * Query that says whether the case takes a message; without it the case takes all.
   */
  readonly check?: QueryFunction;
  /**
   * What runs on the messages the case takes.
   */
  readonly processors?: readonly Processor[];
  /**
   * Whether the processors of the next case run too, without its check.
   */
  readonly fallthrough?: boolean;
}
