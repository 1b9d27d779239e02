import type { Output } from "../../../component/component.ts";
import { createNameFilter, namesAny } from "../../../message/name-filter.ts";
import {
  leastBackup,
  manual,
  murmur2Hash,
  type Partitioner,
  roundRobin,
  uniformBytes,
} from "../partitioner.ts";
import { saslMethod } from "../sasl.ts";
import { type WriterSettings, writerOutput } from "../writer.ts";
import { type KafkaFranzOutputOptions, kafkaFranzOutputDefaults } from "./generated/output-options.ts";
import { bytesOf } from "./input.ts";

/** Like `kafkaOutput`, with the options of `kafka_franz`: writes are idempotent, and only listed metadata are sent. */
export function kafkaFranzOutput(options: KafkaFranzOutputOptions): Output {
  return writerOutput(writerSettings(options));
}

/** Milliseconds. The reference has no fields for these. */
const pauses = { firstPause: 250, longestPause: 2500, maxElapsed: 30_000 };

function writerSettings(options: KafkaFranzOutputOptions): WriterSettings {
  const settings = { ...kafkaFranzOutputDefaults, ...options };
  const { client_id, tls } = settings;
  return {
    connection: { addresses: settings.seed_brokers, client_id, tls, sasl: saslMethod(settings.sasl) },
    topic: settings.topic,
    key: settings.key,
    partition: settings.partition,
    createPartitioner: () => createPartitioner(settings),
    headers: {
      passes: namesAny(settings.metadata) ? createNameFilter(settings.metadata) : undefined,
      fixed: {},
    },
    creation: undefined,
    acks: -1,
    idempotent: settings.idempotent_write,
    compression: settings.compression,
    timeout: settings.timeout,
    metadataMaxAge: settings.metadata_max_age,
    largestRecord: bytesOf("max_message_bytes", settings.max_message_bytes),
    batches: settings.max_in_flight,
    records: settings.max_buffered_records,
    isWhole: false,
    maxRetries: 0,
    ...pauses,
  };
}

function createPartitioner({
  partitioner,
  uniform_bytes_options: options = {},
}: Pick<KafkaFranzOutputOptions, "partitioner" | "uniform_bytes_options">): Partitioner {
  const fallback = kafkaFranzOutputDefaults.uniform_bytes_options;
  const { bytes = fallback.bytes, keys = fallback.keys } = options;
  switch (partitioner) {
    case "least_backup":
      return leastBackup();
    case "manual":
      return manual();
    case "murmur2_hash":
      return murmur2Hash();
    case "round_robin":
      return roundRobin();
    case "uniform_bytes":
      return uniformBytes({ bytes: bytesOf("bytes", bytes), keys });
    default:
      return uniformBytes({ bytes: 65_536, keys: true });
  }
}
