// The request that writes records, and its response (Kafka protocol, Produce, versions 3 to 7).

import { type BatchFields, type BatchRecords, batchHead, writeBatch } from "./record-batch.ts";

/** The versions of the request that are encoded like this. The last one allows zstd. */
export const produceVersions = { first: 3, last: 7 };

/** The records of one partition in a request. */
export interface ProducePart extends Pick<BatchFields, "id" | "epoch" | "firstSequence"> {
  readonly topic: string;
  readonly partition: number;
  readonly records: BatchRecords;
}

/** The fields of a request besides its parts. */
export interface ProduceFields extends Omit<BatchFields, "id" | "epoch" | "firstSequence"> {
  readonly acks: -1 | 1;
  /** Milliseconds that the broker may take. */
  readonly timeout: number;
}

/** Encodes a request without its header. Each partition occurs once. */
export function encodeProduce(parts: readonly ProducePart[], fields: ProduceFields): Buffer {
  const byTopic = Map.groupBy(parts, ({ topic }) => topic);
  let size = 12;
  for (const topic of byTopic.keys()) size += 6 + Buffer.byteLength(topic);
  for (const { records } of parts) size += 8 + batchHead + records.length;
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeInt16BE(-1, 0); // no transaction
  bytes.writeInt16BE(fields.acks, 2);
  bytes.writeInt32BE(fields.timeout, 4);
  let at = bytes.writeInt32BE(byTopic.size, 8);
  for (const [topic, ofTopic] of byTopic) {
    const length = bytes.write(topic, at + 2);
    bytes.writeInt16BE(length, at);
    at = bytes.writeInt32BE(ofTopic.length, at + 2 + length);
    for (const { partition, records, id, epoch, firstSequence } of ofTopic) {
      at = bytes.writeInt32BE(partition, at);
      at = bytes.writeInt32BE(batchHead + records.length, at);
      at = writeBatch(bytes, records, { ...fields, id, epoch, firstSequence }, at);
    }
  }
  return bytes;
}

/** What a broker says of one partition. */
export interface PartitionAnswer {
  readonly topic: string;
  readonly partition: number;
  /** 0 if the records were written. */
  readonly errorCode: number;
}

/** A decoded response. */
export interface ProduceAnswer {
  readonly answers: readonly PartitionAnswer[];
  /** Milliseconds that the client has to wait before its next request. */
  readonly clientSideThrottleTime: number;
}

/** Decodes a response without its header. Throws a `RangeError` if it is cut short, or longer than its counts say. */
export function decodeProduced(bytes: Buffer, version: number): ProduceAnswer {
  let at = 0;
  const int32 = () => {
    at += 4;
    return bytes.readInt32BE(at - 4);
  };
  const int16 = () => {
    at += 2;
    return bytes.readInt16BE(at - 2);
  };
  // The offset of the first record, its time, and from version 5 on the first offset of the log.
  const ignored = version >= 5 ? 24 : 16;
  const answers: PartitionAnswer[] = [];
  for (let topics = int32(); topics > 0; topics -= 1) {
    const length = Math.max(int16(), 0);
    const topic = bytes.toString("utf8", at, at + length);
    at += length;
    for (let partitions = int32(); partitions > 0; partitions -= 1) {
      answers.push({ topic, partition: int32(), errorCode: int16() });
      at += ignored;
    }
  }
  const throttleTime = int32();
  if (at !== bytes.length) throw new RangeError("a response of Kafka is longer than it says");
  // Before version 6, the broker itself has waited for that time (KIP-219).
  return { answers, clientSideThrottleTime: version >= 6 ? throttleTime : 0 };
}
