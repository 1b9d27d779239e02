// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Input, Processor } from "../../../component/component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Merges several inputs into one, in no particular order. It ends when all of them have ended.
 */
export interface BrokerInputOptions {
  /**
   * Inputs to merge.
   */
  readonly inputs: readonly Input[];
  /**
   * Number of instances of each of them.
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
export const brokerInputDefaults = {
  copies: 1,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<BrokerInputOptions>;
