// Reads the pages of Parquet files (apache/parquet-format, README.md, "Data Pages"): a column chunk as levels and values. The library reads whole files asynchronously,
// but mappings are synchronous, so this file reads the pages itself.

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetHeader } from "hyparquet/src/column.js";
import { decompressPage } from "hyparquet/src/datapage.js";
import type { ColumnMetaData, Compressors, DataReader, PageHeader } from "hyparquet/src/types.js";
import { MappingError } from "../errors.ts";
import type { DecodingBudget } from "./decoding-budget.ts";
import { decompressLz4Block } from "./lz4.ts";
import { type Physical, type RawValue, readLength, readRuns, readValues } from "./parquet-encodings.ts";
import { checkStructure } from "./parquet-structures.ts";

/** The maximum levels of a schema leaf, and its physical type. */
export interface Leaf extends Physical {
  readonly definition: number;
  readonly repetition: number;
}

/** All entries of a column chunk. An entry has a value if its definition level is the maximum. */
export interface Column {
  readonly definitions: number[];
  readonly repetitions: number[];
  readonly values: RawValue[];
}

/** Limits of the numbers in a header, which may be broken. The budget of the file is the effective limit. */
const pageLimit = 2 ** 31;
const entryLimit = 2 ** 31;

/**
 * Reads the chunk that `metadata` describes. `file` must have its own buffer, because the library reads from the
 * buffer.
 */
export function readColumn(
  file: Uint8Array,
  metadata: ColumnMetaData,
  leaf: Leaf,
  budget: DecodingBudget,
): Column {
  const start = Number(metadata.dictionary_page_offset || metadata.data_page_offset);
  const size = Number(metadata.total_compressed_size);
  const reader = { view: new DataView(file.buffer, start, size), offset: 0 };
  const column: Column = { definitions: [], repetitions: [], values: [] };
  const expected = Number(metadata.num_values);
  let dictionary: readonly RawValue[] | undefined;
  while (column.definitions.length < expected) {
    budget.values(8); // Chunks may share pages without values.
    checkStructure(file, start + reader.offset);
    const header = parquetHeader(reader);
    const bytes = takePage(reader, header);
    const page = { header, bytes, metadata, leaf, budget };
    budget.values(valuesOf(header));
    budget.bytes(header.uncompressed_page_size);
    if (header.type === "DICTIONARY_PAGE") dictionary = readDictionary(page);
    else if (header.type === "DATA_PAGE") readPage(page, dictionary, column);
    else if (header.type === "DATA_PAGE_V2") readPageV2(page, dictionary, column);
  }
  return column;
}

function valuesOf(header: PageHeader): number {
  const { dictionary_page_header: own, data_page_header: first, data_page_header_v2: second } = header;
  return checked((own ?? first ?? second)?.num_values ?? 0, entryLimit);
}

interface Page {
  readonly header: PageHeader;
  readonly bytes: Uint8Array;
  readonly metadata: ColumnMetaData;
  readonly leaf: Leaf;
  readonly budget: DecodingBudget;
}

function takePage(reader: DataReader, header: PageHeader): Uint8Array {
  const length = checked(header.compressed_page_size, reader.view.byteLength - reader.offset);
  checked(header.uncompressed_page_size, pageLimit);
  const bytes = new Uint8Array(reader.view.buffer, reader.view.byteOffset + reader.offset, length);
  reader.offset += length;
  return bytes;
}

/** Returns a number of a header. In a broken file it may be missing or of any type. */
function checked(value: unknown, limit: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= limit) return value;
  throw new MappingError("parquet: page header is corrupt");
}

function readDictionary({ header, bytes, metadata, leaf, budget }: Page): readonly RawValue[] {
  const count = checked(header.dictionary_page_header?.num_values, entryLimit);
  const plain = unfold(bytes, header.uncompressed_page_size, metadata);
  return readValues(readerOf(plain), "PLAIN", count, leaf, undefined, budget);
}

function readPage(
  { header, bytes, metadata, leaf, budget }: Page,
  dictionary: Dictionary,
  column: Column,
): void {
  const page = header.data_page_header;
  const count = checked(page?.num_values, entryLimit);
  const reader = readerOf(unfold(bytes, header.uncompressed_page_size, metadata));
  const repetitions = readLevels(reader, leaf.repetition, count, readLength);
  const definitions = readLevels(reader, leaf.definition, count, readLength);
  append(column, repetitions, definitions);
  const present = countPresent(definitions, leaf);
  appendAll(column.values, readValues(reader, page?.encoding ?? "PLAIN", present, leaf, dictionary, budget));
}

function readPageV2(
  { header, bytes, metadata, leaf, budget }: Page,
  dictionary: Dictionary,
  column: Column,
): void {
  const page = header.data_page_header_v2;
  const count = checked(page?.num_values, entryLimit);
  const inRepetitions = checked(page?.repetition_levels_byte_length, bytes.length);
  const inDefinitions = checked(page?.definition_levels_byte_length, bytes.length - inRepetitions);
  const levels = readerOf(bytes);
  const repetitions = readLevels(levels, leaf.repetition, count, () => inRepetitions);
  levels.offset = inRepetitions;
  const definitions = readLevels(levels, leaf.definition, count, () => inDefinitions);
  append(column, repetitions, definitions);
  const present = countPresent(definitions, leaf);
  const body = bytes.subarray(inRepetitions + inDefinitions);
  const size = checked(header.uncompressed_page_size - inRepetitions - inDefinitions, pageLimit);
  const reader = readerOf(page?.is_compressed === false ? body : unfold(body, size, metadata));
  appendAll(column.values, readValues(reader, page?.encoding ?? "PLAIN", present, leaf, dictionary, budget));
}

type Dictionary = readonly RawValue[] | undefined;

/** Reads levels up to `deepest`. If that is 0, the levels take no bytes. */
function readLevels(
  reader: DataReader,
  deepest: number,
  count: number,
  lengthOf: (reader: DataReader) => number,
): Uint32Array {
  if (deepest === 0) return new Uint32Array(count);
  return readRuns(reader, 32 - Math.clz32(deepest), count, lengthOf(reader));
}

function append(column: Column, repetitions: Uint32Array, definitions: Uint32Array): void {
  appendAll(column.repetitions, repetitions);
  appendAll(column.definitions, definitions);
}

/** Used instead of `push(...more)`, which puts every item on the stack. */
function appendAll<Item>(items: Item[], more: Iterable<Item>): void {
  for (const item of more) items.push(item);
}

function countPresent(definitions: Uint32Array, leaf: Leaf): number {
  return definitions.reduce((count, level) => (level === leaf.definition ? count + 1 : count), 0);
}

function readerOf(bytes: Uint8Array): DataReader {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
}

function unfold(bytes: Uint8Array, size: number, { codec }: ColumnMetaData): Uint8Array {
  if (size === 0) return new Uint8Array();
  return decompressPage(bytes, size, codec, compressors);
}

/** Snappy is provided by the library. */
const compressors: Compressors = {
  GZIP: (bytes, size) => alone(gunzipSync(bytes, { maxOutputLength: size })),
  ZSTD: (bytes, size) => alone(zstdDecompressSync(bytes, { maxOutputLength: size })),
  BROTLI: (bytes, size) => alone(brotliDecompressSync(bytes, { maxOutputLength: size })),
  LZ4_RAW: (bytes, size) => alone(decompressLz4Block(bytes, size)),
  LZ4: (bytes, size) => alone(decompressFramedLz4(bytes, size)),
};

/** Decompresses LZ4 as Hadoop writes it: blocks, each after its two lengths. Older writers omit the lengths. */
function decompressFramedLz4(bytes: Uint8Array, size: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks: Uint8Array[] = [];
  let left = size;
  for (let at = 0; at < bytes.length; ) {
    const length = at + 8 <= bytes.length ? view.getUint32(at + 4) : bytes.length;
    if (at + 8 + length > bytes.length) return decompressLz4Block(bytes, size);
    const block = decompressLz4Block(bytes.subarray(at + 8, at + 8 + length), left);
    blocks.push(block);
    left -= block.length;
    at += 8 + length;
  }
  return Buffer.concat(blocks);
}

/** Returns the bytes in their own buffer: the library may read past the end of a view if a length is wrong. */
function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
