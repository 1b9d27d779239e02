// Encodings of values in Parquet pages (apache/parquet-format, Encodings.md). Messages come from anywhere, so lengths and counts are checked against the
// available bytes before the library uses them: it trusts both.

import { byteStreamSplit } from "hyparquet/src/encoding.js";
import { readPlain } from "hyparquet/src/plain.js";
import type { DataReader, Encoding, ParquetType } from "hyparquet/src/types.js";
import { MappingError } from "../errors.ts";
import type { DecodingBudget } from "./decoding-budget.ts";

/** A value as the page stores it: a number, a bigint, bytes or a bool. */
export type RawValue = boolean | number | bigint | Uint8Array;

/** The physical type of a column's values. `length`: the length of fixed-length byte arrays. */
export interface Physical {
  readonly type: ParquetType;
  readonly length: number | undefined;
}

/** Reads the next `count` values. `dictionary`: the values that dictionary encodings refer to. */
export function readValues(
  reader: DataReader,
  encoding: Encoding,
  count: number,
  { type, length }: Physical,
  dictionary: readonly RawValue[] | undefined,
  budget: DecodingBudget,
): readonly RawValue[] {
  switch (encoding) {
    case "PLAIN":
      requireBytes(reader, count * leastWidth(type, length));
      return [...readPlain(reader, type, count, length)];
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY":
      return readIndexed(reader, count, dictionary);
    case "RLE":
      return [...readRuns(reader, 1, count, readLength(reader))].map((bit) => bit === 1);
    case "DELTA_BINARY_PACKED":
      return readDeltas(reader, count, type);
    case "DELTA_LENGTH_BYTE_ARRAY":
      return readDeltas(reader, count, "INT32").map((size) => takeBytes(reader, Number(size)));
    case "DELTA_BYTE_ARRAY":
      return readPrefixed(reader, count, budget);
    case "BYTE_STREAM_SPLIT":
      requireBytes(reader, count * leastWidth(type, length));
      return [...byteStreamSplit(reader, count, type, length)];
    default:
      throw new MappingError(`parquet: unsupported encoding ${encoding}`);
  }
}

/** Reads `count` whole numbers of `width` bits, in runs and bit-packed groups that span `length` bytes. */
export function readRuns(reader: DataReader, width: number, count: number, length: number): Uint32Array {
  const output = new Uint32Array(count);
  const end = reader.offset + length;
  for (let at = 0; at < count; ) {
    const header = readVarint(reader);
    if (header % 2 === 1) {
      const packed = Math.min(((header - 1) / 2) * 8, count - at);
      unpack(reader, width, output.subarray(at, at + packed));
      at += packed;
    } else {
      const repeated = Math.min(header / 2, count - at);
      output.fill(readLittleEndian(reader, Math.ceil(width / 8)), at, at + repeated);
      at += repeated;
    }
  }
  reader.offset = end;
  return output;
}

/** Reads the length of the next section, in four bytes. */
export function readLength(reader: DataReader): number {
  return readLittleEndian(reader, 4);
}

function readIndexed(
  reader: DataReader,
  count: number,
  dictionary: readonly RawValue[] | undefined,
): readonly RawValue[] {
  if (count === 0) return [];
  const width = readLittleEndian(reader, 1);
  if (width > 32) throw corrupt();
  const indices = readRuns(reader, width, count, reader.view.byteLength - reader.offset);
  return Array.from(indices, (index) => {
    const value = dictionary?.[index];
    if (value === undefined) throw corrupt();
    return value;
  });
}

/**
 * Reads delta-encoded numbers ("Delta Encoding" in the format), in blocks of groups. The library adds them without
 * wrapping, but they have 32 or 64 bits.
 */
function readDeltas(reader: DataReader, count: number, type: ParquetType): readonly (number | bigint)[] {
  if (count === 0) return [];
  const [block, groups] = [readVarint(reader), readVarint(reader)];
  readVarint(reader); // Skip the number of values, which the page header states.
  const size = block / groups;
  if (groups === 0 || block === 0 || !Number.isInteger(size) || size % 8 !== 0) throw corrupt();
  const bits = type === "INT32" ? 32 : 64;
  const wrapped = (value: bigint) => BigInt.asIntN(bits, value);
  const result = (value: bigint) => (bits === 32 ? Number(value) : value);
  let value = wrapped(readZigzag(reader));
  const output: (number | bigint)[] = [result(value)];
  while (output.length < count) {
    const least = readZigzag(reader);
    const widths = takeBytes(reader, groups);
    for (const width of widths) {
      if (output.length >= count) break;
      if (width > bits) throw corrupt();
      const taken = Math.min(size, count - output.length);
      for (const delta of readPacked(reader, width, size, taken)) {
        value = wrapped(value + least + delta);
        output.push(result(value));
      }
    }
  }
  return output;
}

/** Yields the first `taken` of `size` whole numbers of `width` bits. The last group of a page may end after them. */
function* readPacked(reader: DataReader, width: number, size: number, taken: number): Iterable<bigint> {
  const bytes = takeBytes(reader, Math.min((size * width) / 8, remaining(reader)));
  if (bytes.length * 8 < taken * width) throw corrupt();
  for (let index = 0, bit = 0; index < taken; index++) {
    let [low, high] = [0, 0];
    for (let done = 0; done < width; ) {
      const within = bit & 7;
      const step = Math.min(8 - within, width - done, done < 32 ? 32 - done : 64);
      const piece = ((bytes[bit >> 3] ?? 0) >> within) & ((1 << step) - 1);
      if (done < 32) low += piece * 2 ** done;
      else high += piece * 2 ** (done - 32);
      done += step;
      bit += step;
    }
    yield high === 0 ? BigInt(low) : (BigInt(high) << 32n) | BigInt(low);
  }
}

/** Reads a zigzag-encoded integer of at most 64 bits. */
function readZigzag(reader: DataReader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = readLittleEndian(reader, 1);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return (value >> 1n) ^ -(value & 1n);
  }
  throw corrupt();
}

/** Returns the minimum number of bytes of a plain value. */
function leastWidth(type: ParquetType, length = 0): number {
  switch (type) {
    case "BOOLEAN":
      return 1 / 8;
    case "INT64":
    case "DOUBLE":
      return 8;
    case "INT96":
      return 12;
    case "FIXED_LEN_BYTE_ARRAY":
      if (length <= 0) throw corrupt();
      return length;
    default:
      return 4;
  }
}

function requireBytes(reader: DataReader, count: number): void {
  if (count > remaining(reader)) throw corrupt();
}

/** Reads byte arrays that share a prefix with the previous one. */
function readPrefixed(reader: DataReader, count: number, budget: DecodingBudget): readonly Uint8Array[] {
  const shared = readDeltas(reader, count, "INT32");
  const own = readDeltas(reader, count, "INT32");
  let previous: Uint8Array = new Uint8Array();
  return shared.map((prefix, index) => {
    if (Number(prefix) > previous.length || Number(prefix) < 0) throw corrupt();
    const suffix = takeBytes(reader, Number(own[index]));
    budget.bytes(Number(prefix) + suffix.length);
    previous = Uint8Array.from(Buffer.concat([previous.subarray(0, Number(prefix)), suffix]));
    return previous;
  });
}

function takeBytes(reader: DataReader, length: number): Uint8Array {
  const start = reader.offset;
  if (length < 0 || start + length > reader.view.byteLength) throw corrupt();
  reader.offset += length;
  return new Uint8Array(reader.view.buffer, reader.view.byteOffset + start, length);
}

/**
 * Fills `output` with numbers of `width` bits, lowest bits first. Groups have eight numbers, including the last one.
 */
function unpack(reader: DataReader, width: number, output: Uint32Array): void {
  const bytes = takeBytes(reader, Math.min(Math.ceil(output.length / 8) * width, remaining(reader)));
  if (bytes.length * 8 < output.length * width) throw corrupt();
  let bit = 0;
  for (let index = 0; index < output.length; index++) {
    let value = 0;
    for (let done = 0; done < width; ) {
      const within = bit & 7;
      const taken = Math.min(8 - within, width - done);
      value += (((bytes[bit >> 3] ?? 0) >> within) & ((1 << taken) - 1)) * 2 ** done;
      done += taken;
      bit += taken;
    }
    output[index] = value;
  }
}

function remaining(reader: DataReader): number {
  return reader.view.byteLength - reader.offset;
}

function readLittleEndian(reader: DataReader, width: number): number {
  let value = 0;
  for (const [place, byte] of takeBytes(reader, width).entries()) value += byte * 2 ** (8 * place);
  return value;
}

function readVarint(reader: DataReader): number {
  let value = 0;
  for (let place = 0; place < 5; place++) {
    const byte = readLittleEndian(reader, 1);
    value += (byte & 0x7f) * 2 ** (7 * place);
    if (byte < 0x80) return value;
  }
  throw corrupt();
}

function corrupt(): MappingError {
  return new MappingError("parquet: page is corrupt");
}
