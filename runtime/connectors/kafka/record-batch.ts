// Encodes the records of one partition (Kafka protocol, record batch of magic 2). Lengths are zigzag varints.

import crc32C from "kafkajs/src/protocol/recordBatch/crc32C/index.js";
import type { ProducerRecord } from "./record.ts";

/** What brokers recognise repeated batches by; `id` is -1 for a producer that is not idempotent. */
export interface ProducerIdentity {
  readonly id: bigint;
  readonly epoch: number;
}

/** The fields of a batch besides its records. */
export interface BatchFields extends ProducerIdentity {
  /** Milliseconds since 1970; all records of the batch have this time. */
  readonly time: number;
  /** The code of the compression. */
  readonly compression: number;
  /** The sequence number of the first record; -1 for a producer that is not idempotent. */
  readonly firstSequence: number;
}

/** The records of a batch, which are written once the place in their request is known. */
export interface BatchRecords {
  readonly count: number;
  /** Bytes of the records. */
  readonly length: number;
  writeTo(bytes: Buffer, start: number): void;
}

/** Returns the records uncompressed. Their offsets count from 0. */
export function plainRecords(records: readonly ProducerRecord[]): BatchRecords {
  const bodies: number[] = [];
  let total = 0;
  for (const record of records) {
    const length = bodyLength(record, bodies.length);
    bodies.push(length);
    total += varintLength(length) + length;
  }
  return {
    count: records.length,
    length: total,
    writeTo(bytes, start) {
      let at = start;
      let index = 0;
      for (const record of records) {
        at = writeVarint(bytes, bodies[index] ?? 0, at);
        at = writeBody(bytes, record, index, at);
        index += 1;
      }
    },
  };
}

/** Returns records that are compressed with `compress`. */
export async function compressedRecords(
  records: readonly ProducerRecord[],
  compress: (whole: { readonly buffer: Buffer }) => Promise<Buffer>,
): Promise<BatchRecords> {
  const plain = plainRecords(records);
  const buffer = Buffer.allocUnsafe(plain.length);
  plain.writeTo(buffer, 0);
  const packed = await compress({ buffer });
  return {
    count: plain.count,
    length: packed.length,
    writeTo: (bytes, start) => bytes.set(packed, start),
  };
}

/** Bytes of a batch before its records. */
export const batchHead = 61;

/** Bytes of the first offset and the length; the length counts what follows it. */
const beforeLength = 12;
const checksumAt = 17;
/** The place after the checksum, which covers all from here on. */
const coveredFrom = 21;

/** Writes a batch and returns the place after it. */
export function writeBatch(
  bytes: Buffer,
  records: BatchRecords,
  { id, epoch, time, compression, firstSequence }: BatchFields,
  start: number,
): number {
  const end = start + batchHead + records.length;
  const count = records.count;
  bytes.writeInt32BE(0, start); // the first offset, which the broker sets
  bytes.writeInt32BE(0, start + 4);
  bytes.writeInt32BE(end - start - beforeLength, start + 8);
  bytes.writeInt32BE(0, start + 12); // the epoch of the leader, which the broker sets
  bytes[start + 16] = 2;
  bytes.writeInt16BE(compression, start + 21);
  bytes.writeInt32BE(count - 1, start + 23);
  writeTime(bytes, time, start + 27);
  writeTime(bytes, time, start + 35);
  bytes.writeBigInt64BE(id, start + 43);
  bytes.writeInt16BE(epoch, start + 51);
  bytes.writeInt32BE(firstSequence, start + 53);
  bytes.writeInt32BE(count, start + 57);
  records.writeTo(bytes, start + batchHead);
  bytes.writeUInt32BE(crc32C(bytes.subarray(start + coveredFrom, end)), start + checksumAt);
  return end;
}

function writeTime(bytes: Buffer, time: number, at: number): void {
  bytes.writeInt32BE(Math.floor(time / 2 ** 32), at);
  bytes.writeUInt32BE(time % 2 ** 32, at + 4);
}

/** Bytes of the attributes and of the time since the first record of the batch. */
const fixedFields = 2;

function bodyLength({ key, value, encodedHeaders }: ProducerRecord, index: number): number {
  return fixedFields + varintLength(index) + blockLength(key) + blockLength(value) + encodedHeaders.length;
}

function writeBody(
  bytes: Buffer,
  { key, value, encodedHeaders }: ProducerRecord,
  index: number,
  start: number,
): number {
  bytes[start] = 0;
  bytes[start + 1] = 0;
  let at = writeVarint(bytes, index, start + fixedFields);
  at = writeBlock(bytes, key, at);
  at = writeBlock(bytes, value, at);
  bytes.set(encodedHeaders, at);
  return at + encodedHeaders.length;
}

function blockLength(block: Buffer | null): number {
  return block === null ? varintLength(-1) : varintLength(block.length) + block.length;
}

function writeBlock(bytes: Buffer, block: Buffer | null, at: number): number {
  if (block === null) return writeVarint(bytes, -1, at);
  const start = writeVarint(bytes, block.length, at);
  bytes.set(block, start);
  return start + block.length;
}

/** Maps numbers to 0, -1, 1, -2, …, so that small numbers of both signs are short. */
function zigzag(number: number): number {
  return ((number << 1) ^ (number >> 31)) >>> 0;
}

function varintLength(number: number): number {
  let length = 1;
  for (let rest = zigzag(number); rest > 0x7f; rest >>>= 7) length += 1;
  return length;
}

function writeVarint(bytes: Buffer, number: number, start: number): number {
  let at = start;
  let rest = zigzag(number);
  for (; rest > 0x7f; rest >>>= 7) {
    bytes[at] = (rest & 0x7f) | 0x80;
    at += 1;
  }
  bytes[at] = rest;
  return at + 1;
}
