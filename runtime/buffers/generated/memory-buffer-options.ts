// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Keeps messages in memory, so that inputs go on while outputs are slow. A message is acknowledged as soon as it is kept: a crash of the gateway loses what is there.
 */
export interface MemoryBufferOptions {
  /**
   * Bytes of content that are kept at most; beyond, the input waits.
   */
  readonly limit?: number;
  /**
   * Whether messages for which there is no room are refused, so that the input does not wait.
   */
  readonly spillover?: boolean;
  readonly batch_policy?: BatchPolicy;
}
/**
 * Collects what is kept into larger batches.
 */
export interface BatchPolicy {
  /**
   * Whether batches are collected.
   */
  readonly enabled?: boolean;
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
export const memoryBufferDefaults = {
  limit: 524288000,
  spillover: false,
  batch_policy: {
    enabled: false,
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<MemoryBufferOptions>;
