// Records in the bytes of a request (Kafka protocol, record batch of magic 2).

import type { ProducerRecord } from "./record.ts";

/** Attributes, and the time since the first record of the batch. */
const fixedFields = 2;

/**
 * Records one after the other, as a batch holds them: their offsets count from 0, and all have the time of the batch.
 * Lengths are zigzag varints.
 */
export function encodeRecords(records: readonly ProducerRecord[]): Buffer {
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

/** Bytes of the only record of a batch. */
export function encodedLength(record: ProducerRecord): number {
  const body = bodyLength(record, 0);
  return varintLength(body) + body;
}

function bodyLength({ key, value, headers }: ProducerRecord, index: number): number {
  const names = Object.keys(headers);
  let length = fixedFields + varintLength(index) + blockLength(key) + blockLength(value);
  length += varintLength(names.length);
  for (const name of names) {
    const nameLength = Buffer.byteLength(name);
    length += varintLength(nameLength) + nameLength + blockLength(headers[name] ?? null);
  }
  return length;
}

function writeBody(
  bytes: Buffer,
  { key, value, headers }: ProducerRecord,
  index: number,
  start: number,
): number {
  const names = Object.keys(headers);
  bytes[start] = 0;
  bytes[start + 1] = 0;
  let at = writeVarint(bytes, index, start + fixedFields);
  at = writeBlock(bytes, key, at);
  at = writeBlock(bytes, value, at);
  at = writeVarint(bytes, names.length, at);
  for (const name of names) {
    at = writeVarint(bytes, Buffer.byteLength(name), at);
    at += bytes.write(name, at);
    at = writeBlock(bytes, headers[name] ?? null, at);
  }
  return at;
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

/** Alternating between positive and negative, so that small numbers of both signs are short. */
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
