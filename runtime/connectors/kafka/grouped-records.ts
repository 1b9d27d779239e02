// Groups and encodes the records of one request before kafkajs would do so, which is faster (Kafka protocol, record
// batch of magic 2).

import type { Message as ProducerMessage } from "kafkajs";
import { Message } from "../../message/message.ts";
import { lazily } from "../../text/memo.ts";
import type { ProducerRecord } from "./record.ts";
import { createHeaderEncoder, decodeHeaders, noHeaders } from "./record-headers.ts";
import type { PartitionRecords } from "./sender.ts";

/** Bytes of the attributes and of the time since the first record of the batch. */
const fixedFields = 2;

/**
 * Encodes records in sequence, in the format of a batch: their offsets count from 0, and all have the time of the
 * batch. Lengths are zigzag varints.
 */
function encodeRecords(records: readonly ProducerRecord[]): Buffer {
  const bodies: number[] = [];
  let total = 0;
  for (const record of records) {
    const length = bodyLength(record, bodies.length);
    bodies.push(length);
    total += varintLength(length) + length;
  }
  const bytes = Buffer.allocUnsafe(total);
  let at = 0;
  let index = 0;
  for (const record of records) {
    at = writeVarint(bytes, bodies[index] ?? 0, at);
    at = writeBody(bytes, record, index, at);
    index += 1;
  }
  return bytes;
}

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

/** Whether it pays to check whether kafkajs encodes records as this file does. */
function isWorthEncoding(records: readonly ProducerRecord[]): boolean {
  return (
    records.length >= 3 || records.some(({ encodedHeaders }) => encodedHeaders.length > noHeaders.length)
  );
}

/** Returns the records of a request by topic. */
export function messagesByTopic(
  parts: readonly PartitionRecords[],
): { topic: string; messages: ProducerMessage[] }[] {
  const byTopic = Map.groupBy(parts, ({ topic }) => topic);
  return [...byTopic].map(([topic, ofTopic]) => ({ topic, messages: groupedMessages(ofTopic) }));
}

/** The callback of kafkajs's `groupMessagesPerPartition`: adds a message to its group. */
type GroupStep = (
  groups: object,
  message: ProducerMessage,
  index: number,
  messages: ProducerMessage[],
) => object;

/**
 * Returns the records of one topic, each with its partition.
 *
 * kafkajs 2 groups them with `reduce`, and copies the group of a partition for each of its records: 500 records cost
 * 125,000 copies. Here they are grouped already. The `reduce` of the returned array therefore calls the callback for
 * the first record only, which informs kafkajs's partitioner of the topic, and then returns the groups. If the
 * callback does anything unexpected, it runs over all records.
 */
function groupedMessages(parts: readonly PartitionRecords[]): ProducerMessage[] {
  const groups: Record<number, ProducerRecord[]> = {};
  for (const { partition, records } of parts) {
    const group = groups[partition] ?? [];
    groups[partition] = group;
    for (const record of records) {
      record.partition = partition;
      group.push(record);
    }
  }
  const messages: ProducerRecord[] = Object.values(groups).flat();
  const prepared: Record<number, ProducerMessage[]> = {};
  for (const [partition, group] of Object.entries(groups))
    prepared[Number(partition)] = isWorthEncoding(group) ? encodedTogether(group) : group;
  const reduce = (step: GroupStep, start: object): object =>
    isGrouping(step, messages[0]) ? prepared : messages.map(messageOf).reduce(step, start);
  return Object.defineProperty(messages, "reduce", { value: reduce });
}

/** Returns a record as kafkajs encodes it. */
function messageOf(record: ProducerRecord): ProducerMessage {
  const { encodedHeaders, ...message } = record;
  return encodedHeaders.length === noHeaders.length
    ? record
    : { ...message, headers: decodeHeaders(encodedHeaders) };
}

function isGrouping(step: GroupStep, first: ProducerMessage | undefined): boolean {
  if (first === undefined) return false;
  const [[partition, group] = [], ...others] = Object.entries(step({}, first, 0, [first]));
  const isAlone = Array.isArray(group) && group.length === 1 && group[0] === first;
  return others.length === 0 && partition === String(first.partition) && isAlone;
}

/** An encoded record, with the fields that kafkajs reads when it copies it to the request. */
interface Encoded {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}

const nothing = /* @__PURE__ */ encodedAs(/* @__PURE__ */ Buffer.alloc(0));

/**
 * Returns the records of one partition so that kafkajs encodes them in one step.
 *
 * kafkajs 2 encodes them with `map`, and needs some twelve buffers for each record and three for each header. The `map`
 * of this array therefore calls the callback for a sample only. If the result equals what this file encodes, it returns
 * the bytes of all records in place of the first record, and nothing for the others: kafkajs concatenates them.
 * Otherwise the callback runs over all records.
 */
function encodedTogether(records: ProducerRecord[]): ProducerMessage[] {
  type Step = (record: ProducerMessage, index: number, records: ProducerMessage[]) => unknown;
  const map = (step: Step): unknown[] => {
    const bytes = bytesOf(step(sample().message, 0, records));
    if (bytes === undefined) return records.slice().map(step);
    if (!bytes.equals(sample().bytes)) return Array.from(records, messageOf).map(step);
    const encoded: Encoded[] = new Array(records.length).fill(nothing);
    encoded[0] = encodedAs(encodeRecords(records));
    return encoded;
  };
  return Object.defineProperty(records, "map", { value: map });
}

/** Returns the bytes of a record that kafkajs has encoded; `undefined` for another result. */
function bytesOf(made: unknown): Buffer | undefined {
  if (typeof made !== "object" || made === null || !("buffer" in made)) return undefined;
  return Buffer.isBuffer(made.buffer) ? made.buffer : undefined;
}

/** A record with all fields, and lengths of one and of two bytes. */
const sample = /* @__PURE__ */ lazily(() => {
  const encodeHeaders = createHeaderEncoder({
    passes: undefined,
    fixed: { long: "v".repeat(100), empty: "" },
  });
  const [key, value] = [Buffer.of(1), Buffer.alloc(100)];
  const record = { key, value, encodedHeaders: encodeHeaders(Message.fromBytes(value)) };
  return { message: messageOf(record), bytes: encodeRecords([record]) };
});

function encodedAs(bytes: Buffer): Encoded {
  return { buf: bytes, buffer: bytes };
}
