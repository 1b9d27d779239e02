// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output, Processor } from "../../../component/component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Sends messages to several outputs: to all of them or to one of them.
 */
export interface BrokerOutputOptions {
  /**
   * Outputs that get a message. `fan_out`: all outputs at the same time; an output that fails gets the message again until it confirms. `fan_out_sequential`: each output after the one before has confirmed. With `_fail_fast` nothing is retried, and the failure goes to the input. `round_robin`: one output, in turn; if it fails, the next. `greedy`: the output that is free first.
   */
  readonly pattern?:
    "fan_out" | "fan_out_fail_fast" | "fan_out_sequential" | "fan_out_sequential_fail_fast" | "round_robin" | "greedy";
  /**
   * Outputs to send messages to.
   */
  readonly outputs: readonly Output[];
  /**
   * Number of instances of each of them.
   */
  readonly copies?: number;
  readonly batching?: Batching;
}
/**
 * Collects messages into larger batches. A message is acknowledged when its batch is acknowledged.
 */
export interface Batching {
  /**
   * Number of messages that completes a batch; 0 for no limit.
   */
  readonly count?: number;
  /**
   * Content size in bytes that completes a batch; 0 for no limit.
   */
  readonly byte_size?: number;
  /**
   * Time after its first message at which a batch is complete; empty for no limit.
   */
  readonly period?: number;
  /**
   * Maximum fraction of `period` that is randomly added to it.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * Processors that run on complete batches.
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
