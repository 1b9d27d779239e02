// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component.ts";

/**
 * Hands messages to several outputs.
 */
export interface BrokerOutputOptions {
  /**
   * Who gets a message: with `fan_out` every output does, all at once, and it counts as delivered when all have confirmed.
   */
  readonly pattern?:
    "fan_out" | "fan_out_fail_fast" | "fan_out_sequential" | "fan_out_sequential_fail_fast" | "round_robin" | "greedy";
  /**
   * The outputs to hand messages to.
   */
  readonly outputs: readonly Output[];
}

/** What the fields hold that a document leaves out. */
export const brokerOutputDefaults = {
  pattern: "fan_out"
} as const satisfies Partial<BrokerOutputOptions>;
