import type { Output } from "../../component/component.ts";
import { type KafkaOutputOptions, kafkaOutputDefaults } from "./generated/output-options.ts";
import { fnv1aHash, manual, murmur2Hash, randomPartition, roundRobin } from "./partitioner.ts";
import { type WriterSettings, writerOutput } from "./writer.ts";

/**
 * Writes each message as a record. A write resolves once the brokers have confirmed all of its records.
 * Records of one partition are written in the order of the writes.
 */
export function kafkaOutput(options: KafkaOutputOptions): Output {
  return writerOutput(writerSettings(options));
}

const partitioners = {
  fnv1a_hash: fnv1aHash,
  murmur2_hash: murmur2Hash,
  random: randomPartition,
  round_robin: roundRobin,
  manual,
} as const;

/** No limit of its own: `max_in_flight` limits the records. */
const anyNumberOfRecords = Number.POSITIVE_INFINITY;

/** Converts the fields of a document to the settings of the writer. */
export function writerSettings(options: KafkaOutputOptions): WriterSettings {
  const settings = { ...kafkaOutputDefaults, ...options };
  const creation = { ...kafkaOutputDefaults.custom_topic_creation, ...settings.custom_topic_creation };
  const pauses = { ...kafkaOutputDefaults.backoff, ...settings.backoff };
  const excluded = settings.metadata.exclude_prefixes ?? [];
  return {
    connection: settings,
    topic: settings.topic,
    key: settings.key,
    partition: settings.partition,
    createPartitioner: partitioners[settings.partitioner],
    headers: {
      passes: excluded.includes("")
        ? undefined
        : (name) => !excluded.some((prefix) => name.startsWith(prefix)),
      fixed: settings.static_headers ?? {},
    },
    creation: creation.enabled ? creation : undefined,
    acks: settings.ack_replicas ? -1 : 1,
    idempotent: settings.idempotent_write,
    compression: settings.compression,
    timeout: settings.timeout,
    metadataMaxAge: 300_000,
    largestRecord: settings.max_msg_bytes,
    batches: settings.max_in_flight,
    records: anyNumberOfRecords,
    isWhole: settings.retry_as_batch,
    maxRetries: settings.max_retries,
    firstPause: pauses.initial_interval,
    longestPause: pauses.max_interval,
    maxElapsed: pauses.max_elapsed_time,
  };
}
