import type { KafkaMessage, Message as ProducerMessage } from "kafkajs";
import { type Batch, Message } from "../../message.ts";
import { travellingMetadata } from "../../metadata.ts";
import { decodeUtf8, encodeUtf8 } from "../../utf8.ts";
import type { Value } from "../../value.ts";

/** Where a record was read. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  /** Offset after the partition's newest record, when this one was fetched. */
  readonly highWatermark: bigint;
}

/**
 * A record as message. Its headers become metadata, the last of a name where there are several; the
 * `kafka_*` names win over a header of the same name. Integers beyond JavaScript's are kept exactly.
 */
export function messageFromRecord(record: KafkaMessage, place: RecordPlace): Message {
  const offset = BigInt(record.offset);
  const lag = place.highWatermark - offset - 1n;
  const metadata = new Map<string, Value>();
  for (const [name, value] of Object.entries(record.headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) metadata.set(name, typeof last === "string" ? last : decodeUtf8(last));
  }
  metadata.set("kafka_key", record.key === null ? "" : decodeUtf8(record.key));
  metadata.set("kafka_topic", place.topic);
  metadata.set("kafka_partition", place.partition);
  metadata.set("kafka_offset", integer(offset));
  metadata.set("kafka_lag", integer(lag > 0n ? lag : 0n));
  metadata.set("kafka_timestamp_unix", Math.floor(Number(record.timestamp) / 1000));
  metadata.set("kafka_tombstone_message", record.value === null);
  return Message.fromBytes(record.value ?? new Uint8Array(), metadata);
}

/** The record of message `index`; an empty key is no key. */
export function recordFromMessage(batch: Batch, index: number, key: string): ProducerMessage {
  const message = batch[index];
  if (message === undefined) throw new RangeError(`the batch has no message ${index}`);
  const headers: Record<string, Buffer> = {};
  for (const [name, value] of travellingMetadata(message.metadata)) {
    headers[name] = asBuffer(typeof value === "string" ? encodeUtf8(value) : value);
  }
  return {
    key: key === "" ? null : asBuffer(encodeUtf8(key)),
    value: asBuffer(message.bytes()),
    headers,
  };
}

/** About how many bytes a record takes in a request. */
export function recordSize({ key, value, headers }: ProducerMessage): number {
  let size = 70 + (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, header] of Object.entries(headers ?? {})) size += 4 + name.length + (header?.length ?? 0);
  return size;
}

function integer(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
