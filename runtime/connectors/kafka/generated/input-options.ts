// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";

/**
 * Reads records of Kafka topics; offsets are committed once the output has confirmed.
 */
export interface KafkaInputOptions {
  /**
   * Brokers to contact first, as `host:port`.
   */
  readonly addresses: readonly string[];
  /**
   * Topics to read.
   */
  readonly topics: readonly string[];
  /**
   * Group that shares the partitions and stores the offsets; without one every start reads again from where `start_from_oldest` says.
   */
  readonly consumer_group?: string;
  /**
   * Name shown to the brokers.
   */
  readonly client_id?: string;
  /**
   * Where to begin when there is no stored offset: with the oldest record, or with those that come from now on.
   */
  readonly start_from_oldest?: boolean;
  /**
   * Records of one partition under way at once; 1 gives strict order.
   */
  readonly checkpoint_limit?: number;
  /**
   * Pause between commits of offsets.
   */
  readonly commit_period?: number;
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
export const kafkaInputDefaults = {
  consumer_group: "",
  client_id: "sluice",
  start_from_oldest: true,
  checkpoint_limit: 1024,
  commit_period: 1000,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<KafkaInputOptions>;
