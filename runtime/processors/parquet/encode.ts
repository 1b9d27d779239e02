// `parquet_encode`: makes a Parquet file of a batch. Rows are split into columns. The levels say where an entry begins
// a new element, and how much of its path is present (the format's "Nested Encoding", after Dremel).

import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { CompressionCodec, SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { writeColumn } from "hyparquet-writer/src/column.js";
import type { Processor } from "../../component/component.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import { compressLz4Block } from "../../mapping/lz4.ts";
import { packSnappy } from "../../mapping/snappy.ts";
import type { Batch } from "../../message/message.ts";
import { isObject, type Value } from "../../message/value.ts";
import { documentOf } from "../formats/converting.ts";
import { type ParquetEncodeOptions, parquetEncodeDefaults } from "../generated/parquet-encode-options.ts";
import { type Inspected, nothingFound, type WrittenOptions } from "../inspection.ts";
import { type ParquetNode, ParquetSchemaError, readColumns, type Stored } from "./columns.ts";

type Encoding = ParquetEncodeOptions["default_encoding"];

const codecs: Readonly<Record<NonNullable<ParquetEncodeOptions["default_compression"]>, CompressionCodec>> = {
  uncompressed: "UNCOMPRESSED",
  snappy: "SNAPPY",
  gzip: "GZIP",
  brotli: "BROTLI",
  zstd: "ZSTD",
  lz4raw: "LZ4_RAW",
};

const compressors = {
  SNAPPY: packSnappy,
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes),
  LZ4_RAW: compressLz4Block,
};

/** The target size of pages in bytes. */
const pageSize = 1 << 20;

/**
 * Makes one message of each batch, with the attributes of the first message. If a message does not match the schema,
 * the whole batch continues unchanged, marked as failed.
 */
export function parquetEncode(options: ParquetEncodeOptions): Processor {
  const {
    schema,
    default_compression: compression,
    default_encoding: encoding,
  } = {
    ...parquetEncodeDefaults,
    ...options,
  };
  // The schema was validated when the gateway was built.
  const root = readColumns(schema);
  return {
    process(batch) {
      const [first] = batch;
      if (first === undefined) return [];
      try {
        return [[first.withBytes(writeFile(root, rowsOf(batch), codecs[compression], encoding))]];
      } catch (error) {
        const failure = toGatewayError(error, 500, "the batch could not be written as Parquet");
        return [batch.map((message) => message.withFailure(failure))];
      }
    },
  };
}

function rowsOf(batch: Batch): readonly Value[] {
  return batch.map((message) => {
    const row = documentOf(message);
    if (!isObject(row)) throw new MappingError("parquet: a message has to be an object");
    return row;
  });
}

function writeFile(
  root: ParquetNode,
  rows: readonly Value[],
  codec: CompressionCodec,
  encoding: Encoding,
): Uint8Array {
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: elementsOf(root),
    codec,
    compressors,
    createdBy: "sluice",
  });
  const chunks = shred(root, rows).map(
    (column) =>
      writeColumn({ writer, column: columnOf(column, codec, encoding), pageData: pageOf(column) }).chunk,
  );
  const size = chunks.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n);
  file.row_groups.push({ columns: chunks, total_byte_size: size, num_rows: BigInt(rows.length) });
  file.num_rows = BigInt(rows.length);
  // A writer in memory finishes synchronously.
  void file.finish();
  return writer.getBytes();
}

function elementsOf(node: ParquetNode): SchemaElement[] {
  const { repetition_type: _, ...rootElement } = node.element;
  const own = node.element.name === "root" ? rootElement : node.element;
  return [own, ...node.children.flatMap((child) => nestedElements(child))];
}

function nestedElements(node: ParquetNode): SchemaElement[] {
  return [node.element, ...node.children.flatMap(nestedElements)];
}

function pageOf({ values, definitions, repetitions, deepest }: Shredded) {
  // A flat column without nulls has no levels.
  const isFlat = deepest === 0;
  return {
    values,
    definitionLevels: isFlat ? [] : definitions,
    repetitionLevels: isFlat ? [] : repetitions,
    maxDefinitionLevel: deepest,
  };
}

function columnOf({ path }: Shredded, codec: CompressionCodec, encoding: Encoding) {
  const elements = path.map(({ element }) => element);
  const element = elements.at(-1) ?? { name: "" };
  return {
    columnName: elements
      .slice(1)
      .map(({ name }) => name)
      .join("."),
    // The library rejects a repeated column. It gets the levels from the path.
    element: {
      ...element,
      ...(element.repetition_type === "REPEATED" && { repetition_type: "REQUIRED" as const }),
    },
    schemaPath: elements,
    codec,
    compressors,
    stats: true,
    pageSize,
    columnIndex: false,
    offsetIndex: false,
    ...encodingOf(element, encoding),
  };
}

/** `DELTA_LENGTH_BYTE_ARRAY` only applies to texts. Other columns are plain then. */
function encodingOf({ type }: SchemaElement, encoding: Encoding): { readonly encoding?: Encoding & string } {
  if (encoding === "DELTA_LENGTH_BYTE_ARRAY") return { encoding: type === "BYTE_ARRAY" ? encoding : "PLAIN" };
  return encoding === undefined ? {} : { encoding };
}

/** Returns the problems in the schema of a `parquet_encode` processor. */
export function inspectParquetEncode({ schema }: WrittenOptions): Inspected {
  if (!Array.isArray(schema) || schema.length === 0) return nothingFound;
  try {
    readColumns(schema);
    return nothingFound;
  } catch (error) {
    if (!(error instanceof ParquetSchemaError)) throw error;
    return { problems: [{ field: "schema", message: error.message }] };
  }
}

/** The entries of all rows in one column. */
interface Shredded {
  /** The nodes from the root to the column. */
  readonly path: readonly ParquetNode[];
  /** One value for each entry; `undefined` if the entry has none. */
  readonly values: (Stored | undefined)[];
  readonly definitions: number[];
  readonly repetitions: number[];
  /** The definition level of an entry with a value. */
  readonly deepest: number;
}

/** Returns the columns of rows. Throws a `MappingError` if a row does not match the schema. */
function shred(root: ParquetNode, rows: readonly Value[]): readonly Shredded[] {
  const columns = new Map<ParquetNode, Shredded>();
  prepare(root, [], 0, columns);
  for (const row of rows) putContent(root, row, { definition: 0, repetition: 0, depth: 0 }, columns);
  return [...columns.values()];
}

function prepare(
  node: ParquetNode,
  before: readonly ParquetNode[],
  deepest: number,
  columns: Map<ParquetNode, Shredded>,
): void {
  const path = [...before, node];
  const own = before.length > 0 && node.element.repetition_type !== "REQUIRED" ? deepest + 1 : deepest;
  if (node.store !== undefined)
    columns.set(node, { path, values: [], definitions: [], repetitions: [], deepest: own });
  for (const child of node.children) prepare(child, path, own, columns);
}

interface Levels {
  readonly definition: number;
  readonly repetition: number;
  /** The number of repeated nodes around the node. */
  readonly depth: number;
}

type Columns = ReadonlyMap<ParquetNode, Shredded>;

function put(node: ParquetNode, given: Value, levels: Levels, columns: Columns): void {
  const { definition, repetition, depth } = levels;
  const kind = node.element.repetition_type;
  if (kind === "OPTIONAL") {
    if (given === null) putNothing(node, levels, columns);
    else putContent(node, given, { ...levels, definition: definition + 1 }, columns);
    return;
  }
  const value = given ?? node.empty;
  if (kind !== "REPEATED") {
    putContent(node, value, levels, columns);
    return;
  }
  const elements = node.elementsOf(value);
  if (elements.length === 0) putNothing(node, levels, columns);
  for (const [index, element] of elements.entries()) {
    const own = {
      definition: definition + 1,
      repetition: index === 0 ? repetition : depth + 1,
      depth: depth + 1,
    };
    putContent(node, element, own, columns);
  }
}

function putContent(node: ParquetNode, value: Value, levels: Levels, columns: Columns): void {
  if (node.store === undefined)
    for (const [index, child] of node.children.entries())
      put(child, node.pick(value, index), levels, columns);
  else append(node, node.store(value), levels, columns);
}

function putNothing(node: ParquetNode, levels: Levels, columns: Columns): void {
  if (node.store !== undefined) append(node, undefined, levels, columns);
  for (const child of node.children) putNothing(child, levels, columns);
}

function append(node: ParquetNode, value: Stored | undefined, levels: Levels, columns: Columns): void {
  const column = columns.get(node);
  column?.values.push(value);
  column?.definitions.push(levels.definition);
  column?.repetitions.push(levels.repetition);
}
