// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Input } from "../../../component/component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Reads from an input until a message fulfils a check, which is the last one delivered, or until nothing came for a time.
 */
export interface ReadUntilInputOptions {
  /**
   * Where messages come from.
   */
  readonly input: () => Input;
  /**
   * Query that says whether a message is the last.
   */
  readonly check?: QueryFunction;
  /**
   * Time without a message after which the input ends; 0 for none.
   */
  readonly idle_timeout?: number;
  /**
   * Whether the input is restarted when it ends before that.
   */
  readonly restart_input?: boolean;
  readonly restart_backoff?: RestartBackoff;
}
/**
 * Pauses before the input is started again with `restart_input`: they double from start to start, until a message comes.
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
