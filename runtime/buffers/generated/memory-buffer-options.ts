// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";
import type { QueryFunction } from "../../processors/functions.ts";

/**
 * Buffers messages in memory, so that inputs continue while outputs are slow. A message is acknowledged as soon as it is buffered; a crash of the gateway loses buffered messages.
 */
export interface MemoryBufferOptions {
  /**
   * Maximum size of the buffered content in bytes. If it is reached, the input waits.
   */
  readonly limit?: number;
  /**
   * Rejects messages for which there is no space instead of making the input wait.
   */
  readonly spillover?: boolean;
  readonly batch_policy?: BatchPolicy;
}
/**
 * Collects buffered messages into larger batches.
 */
export interface BatchPolicy {
  /**
   * Enables batching.
   */
  readonly enabled?: boolean;
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
