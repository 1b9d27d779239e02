// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../../processors/functions.ts";

/**
 * Generates messages with a mapping.
 */
export interface GenerateInputOptions {
  /**
   * Mapping that returns a message. It has no input document.
   */
  readonly mapping: MappingFunction;
  /**
   * Interval between messages: a duration, `@every 5s`, or a cron schedule of five or six fields (`0 30 3 * * *`, with seconds first). Prefix a schedule with `TZ=Europe/London` to use a time zone other than that of the gateway. If empty, there is no pause.
   */
  readonly interval?: string;
  /**
   * Number of messages after which the input ends; 0 means that it never ends.
   */
  readonly count?: number;
  /**
   * Number of messages that are generated at a time.
   */
  readonly batch_size?: number;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const generateInputDefaults = {
  interval: "1s",
  count: 0,
  batch_size: 1,
  auto_replay_nacks: true
} as const satisfies Partial<GenerateInputOptions>;
