// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Input } from "../../../component/component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Reads from an input until a message matches a check, which is the last one delivered, or until no message arrives for a time.
 */
export interface ReadUntilInputOptions {
  /**
   * Input that the messages come from.
   */
  readonly input: () => Input;
  /**
   * Query that returns whether a message is the last one.
   */
  readonly check?: QueryFunction;
  /**
   * Time without a message after which the input ends; 0 means no limit.
   */
  readonly idle_timeout?: number;
  /**
   * Whether the input is restarted if it ends before that.
   */
  readonly restart_input?: boolean;
  readonly restart_backoff?: RestartBackoff;
}
/**
 * Pauses before the input is restarted with `restart_input`. They double with each restart until a message arrives.
 */
export interface RestartBackoff {
  /**
   * The first pause.
   */
  readonly initial_interval?: number;
  /**
   * The longest pause.
   */
  readonly max_interval?: number;
}

/** What the fields hold that a document leaves out. */
export const readUntilInputDefaults = {
  idle_timeout: 0,
  restart_input: false,
  restart_backoff: {
    initial_interval: 1,
    max_interval: 100
  }
} as const satisfies Partial<ReadUntilInputOptions>;
