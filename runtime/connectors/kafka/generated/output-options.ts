// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor, Text } from "../../../component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Writes each message as a record to a Kafka topic.
 */
export interface KafkaOutputOptions {
  /**
   * Brokers to contact first, as `host:port`.
   */
  readonly addresses: readonly string[];
  /**
   * Topic to write to.
   */
  readonly topic: Text;
  /**
   * Name shown to the brokers.
   */
  readonly client_id?: string;
  /**
   * Key of the record; records of one key stay in order.
   */
  readonly key?: Text;
  /**
   * Whether a record counts as written only when all replicas in sync have it. Turned off, a record can be lost with the leader.
   */
  readonly ack_replicas?: boolean;
  /**
   * How records are compressed.
   */
  readonly compression?: "none" | "gzip";
  /**
   * Longest time a write may take.
   */
  readonly timeout?: number;
  /**
   * Attempts after a write failed; 0 means without end.
   */
  readonly max_retries?: number;
  readonly backoff?: KafkaOutputBackoff;
  readonly batching?: Batching;
}
/**
 * Pauses between attempts.
 */
export interface KafkaOutputBackoff {
  /**
   * First pause.
   */
  readonly initial_interval?: number;
  /**
   * Longest pause.
   */
  readonly max_interval?: number;
  /**
   * When to give up on a record; `0s` means never.
   */
  readonly max_elapsed_time?: number;
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
export const kafkaOutputDefaults = {
  client_id: "sluice",
  key: "",
  ack_replicas: true,
  compression: "none",
  timeout: 5000,
  max_retries: 0,
  backoff: {
    initial_interval: 3000,
    max_interval: 10000,
    max_elapsed_time: 30000
  },
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<KafkaOutputOptions>;
