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
