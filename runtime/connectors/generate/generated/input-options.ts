// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../../processors/functions.ts";

/**
 * Makes messages with a mapping.
 */
export interface GenerateInputOptions {
  /**
   * Mapping that makes a message; there is no document to read.
   */
  readonly mapping: MappingFunction;
  /**
   * How often: a duration, `@every 5s`, or a schedule of five or six fields (`0 30 3 * * *`, with seconds first), with `TZ=Europe/London` in front where it is not the gateway's own zone. Empty for no pause.
   */
  readonly interval?: string;
  /**
   * Messages after which the input ends; 0 for no end.
   */
  readonly count?: number;
  /**
   * Messages made at a time.
   */
  readonly batch_size?: number;
  /**
   * Whether a message that could not be delivered is tried again until it is; else it is given up, which is logged.
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
