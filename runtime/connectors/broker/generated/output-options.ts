// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output, Processor } from "../../../component/component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Hands messages to several outputs, to all or to one of them.
 */
export interface BrokerOutputOptions {
  /**
   * Who gets a message. `fan_out`: every output, all at once; one that fails gets it again until it confirms. `fan_out_sequential`: the next one when the one before has confirmed. With `_fail_fast` nothing is repeated, and the failure goes to the input. `round_robin`: one of them, in turn; where it fails, the next. `greedy`: whichever is free first.
   */
  readonly pattern?:
    "fan_out" | "fan_out_fail_fast" | "fan_out_sequential" | "fan_out_sequential_fail_fast" | "round_robin" | "greedy";
  /**
   * The outputs to hand messages to.
   */
  readonly outputs: readonly Output[];
  /**
   * How many times each of them is there.
   */
  readonly copies?: number;
  readonly batching?: Batching;
}
/**
 * Collects messages into larger batches. Each is acknowledged when the batch it went into is.
 */
export interface Batching {
  /**
   * Messages that complete a batch; 0 for any number.
   */
  readonly count?: number;
  /**
   * Bytes of content that complete a batch; 0 for any number.
   */
  readonly byte_size?: number;
  /**
   * How long after its first message a batch is complete; empty for any time.
   */
  readonly period?: number;
  /**
   * Up to which share of `period` is added to it, at random.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * What runs on complete batches.
   */
  readonly processors?: readonly Processor[];
}

/** What the fields hold that a document leaves out. */
export const brokerOutputDefaults = {
  pattern: "fan_out",
  copies: 1,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<BrokerOutputOptions>;
