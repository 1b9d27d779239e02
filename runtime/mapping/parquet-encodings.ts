// Encodings of values in Parquet pages. Messages come from anywhere, so what a length or a count claims is
// held against the bytes there are before the library acts on it: it trusts both.

import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { byteStreamSplit } from "hyparquet/src/encoding.js";
import { readPlain } from "hyparquet/src/plain.js";
import type { DataReader, Encoding, ParquetType } from "hyparquet/src/types.js";
import { MappingError } from "../errors.ts";

/** A value as its page has it: a number, a bigint, bytes or a bool. */
export type RawValue = boolean | number | bigint | Uint8Array;

/** What the values of a column are; `length` is that of arrays of a fixed length. */
export interface Physical {
  readonly type: ParquetType;
  readonly length: number | undefined;
}

/** Bytes that arrays which share their beginnings may take up together. */
const sharedLimit = 2 ** 30;

/** The next `count` values; `dictionary` has those that encodings of that name point at. */
export function readValues(
  reader: DataReader,
  encoding: Encoding,
  count: number,
  { type, length }: Physical,
  dictionary: readonly RawValue[] | undefined,
): readonly RawValue[] {
  switch (encoding) {
    case "PLAIN":
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
      return readPrefixed(reader, count);
    case "BYTE_STREAM_SPLIT":
      return [...byteStreamSplit(reader, count, type, length)];
    default:
      throw new MappingError(`parquet: unsupported encoding ${encoding}`);
  }
}

/** `count` whole numbers of `width` bits in runs and packed groups, which end `length` bytes from here. */
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

/** The length of what comes, in four bytes. */
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

/** Numbers as differences; the head of a block is looked at first, for the library would not come to an end. */
function readDeltas(reader: DataReader, count: number, type: ParquetType): readonly (number | bigint)[] {
  if (count === 0) return [];
  const { offset } = reader;
  const [block, groups] = [readVarint(reader), readVarint(reader)];
  reader.offset = offset;
  if (groups === 0 || block === 0 || block % groups !== 0 || groups > reader.view.byteLength) throw corrupt();
  const output = type === "INT32" ? new Int32Array(count) : new BigInt64Array(count);
  deltaBinaryUnpack(reader, count, output);
  return [...output];
}

/** Arrays that begin as the one before them does. */
function readPrefixed(reader: DataReader, count: number): readonly Uint8Array[] {
  const shared = readDeltas(reader, count, "INT32");
  const own = readDeltas(reader, count, "INT32");
  let previous: Uint8Array = new Uint8Array();
  let total = 0;
  return shared.map((prefix, index) => {
    if (Number(prefix) > previous.length || Number(prefix) < 0) throw corrupt();
    const suffix = takeBytes(reader, Number(own[index]));
    total += Number(prefix) + suffix.length;
    if (total > sharedLimit) throw new MappingError("parquet: page is too large");
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

/** Fills `output` with numbers of `width` bits, the lowest bits first. Groups are of eight, the last one too. */
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
