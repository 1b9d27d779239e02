// Parquet files: written by the library that accompanies the reader; pages that it cannot write are built here.

import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { ColumnMetaData, SchemaElement } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DecodingBudget } from "../../../runtime/mapping/decoding-budget.ts";
import { parseParquet } from "../../../runtime/mapping/parquet.ts";
import { type Leaf, readColumn } from "../../../runtime/mapping/parquet-pages.ts";
import { parseJsonText, printJson } from "../../../runtime/message/json.ts";
import { createRandom } from "../../fuzz/byte-mutator.ts";

const test = suite("parquet");

function rowsOf(file: ArrayBuffer): string {
  return printJson(parseParquet(new Uint8Array(file), "", false));
}

test("rows are objects of their columns, with stored values unchanged", () => {
  const file = parquetWriteBuffer({
    columnData: [
      { name: "id", data: [1n, 9007199254740993n], type: "INT64" },
      { name: "name", data: ["é", null], type: "STRING" },
      { name: "ratio", data: [0.1, 2], type: "FLOAT" },
      { name: "exact", data: [2.5, 1e21], type: "DOUBLE" },
      { name: "open", data: [true, null], type: "BOOLEAN" },
      { name: "extra", data: [{ a: [1] }, null], type: "JSON" },
      { name: "at", data: [new Date(0), new Date(1500)], type: "TIMESTAMP" },
      { name: "raw", data: [Uint8Array.of(104, 105), Uint8Array.of(255)], type: "BYTE_ARRAY" },
      { name: "__proto__", data: ["p", "q"], type: "STRING" },
    ],
  });
  assert.is(
    rowsOf(file),
    '[{"__proto__":"p","at":0,"exact":2.5,"extra":{"a":[1]},"id":1,"name":"é","open":true,"ratio":0.1,"raw":"hi"},' +
      '{"__proto__":"q","at":1500,"exact":1e+21,"extra":null,"id":9007199254740993,"name":null,"open":null,"ratio":2,"raw":"\\ufffd"}]',
  );
});

const nested: SchemaElement[] = [
  { name: "root", num_children: 3 },
  { name: "tags", repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
  { name: "list", repetition_type: "REPEATED", num_children: 1 },
  { name: "element", repetition_type: "OPTIONAL", type: "BYTE_ARRAY", converted_type: "UTF8" },
  { name: "counts", repetition_type: "OPTIONAL", num_children: 1, converted_type: "MAP" },
  { name: "key_value", repetition_type: "REPEATED", num_children: 2 },
  { name: "key", repetition_type: "REQUIRED", type: "BYTE_ARRAY", converted_type: "UTF8" },
  { name: "value", repetition_type: "OPTIONAL", type: "INT32", converted_type: "UINT_32" },
  { name: "inner", repetition_type: "OPTIONAL", num_children: 2 },
  { name: "code", repetition_type: "REQUIRED", type: "FIXED_LEN_BYTE_ARRAY", type_length: 2 },
  { name: "level", repetition_type: "OPTIONAL", type: "INT32" },
];
const bytes = Uint8Array.of(1, 2);
const columnData = [
  { name: "tags", data: [["a", null, "b"], [], null, ["z"]] },
  { name: "counts", data: [{ k: 1, l: 4294967295 }, {}, null, { q: null }] },
  {
    name: "inner",
    data: [{ code: bytes, level: -1 }, { code: bytes, level: null }, null, { code: bytes, level: 3 }],
  },
];

test("lists, maps and groups distinguish empty, null and absent", () => {
  const expected =
    '[{"counts":{"k":1,"l":4294967295},"inner":{"code":"AQI=","level":-1},"tags":["a",null,"b"]},' +
    '{"counts":{},"inner":{"code":"AQI=","level":null},"tags":[]},' +
    '{"counts":null,"inner":null,"tags":null},' +
    '{"counts":{"q":null},"inner":{"code":"AQI=","level":3},"tags":["z"]}]';
  for (const codec of ["UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "BROTLI"] as const) {
    const compressors = {
      GZIP: (input: Uint8Array) => new Uint8Array(gzipSync(input)),
      ZSTD: (input: Uint8Array) => new Uint8Array(zstdCompressSync(input)),
      BROTLI: (input: Uint8Array) => new Uint8Array(brotliCompressSync(input)),
    };
    assert.is(
      rowsOf(parquetWriteBuffer({ schema: nested, columnData, codec, compressors })),
      expected,
      codec,
    );
  }
  const rows = parquetWriteBuffer({ schema: nested, columnData, rowGroupSize: 2 });
  assert.is(rowsOf(rows), expected, "two groups of rows");
});

test("every encoding yields the same values", () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => (index * 7919) % 1009);
  const texts = numbers.map((number) => `prefix-${number}`);
  const columns = [
    { name: "n", data: numbers, type: "INT32", encoding: "DELTA_BINARY_PACKED" },
    { name: "l", data: numbers.map(BigInt), type: "INT64", encoding: "DELTA_BINARY_PACKED" },
    { name: "t", data: texts, type: "STRING", encoding: "DELTA_BYTE_ARRAY" },
    { name: "u", data: texts, type: "STRING", encoding: "DELTA_LENGTH_BYTE_ARRAY" },
    { name: "d", data: numbers, type: "DOUBLE", encoding: "BYTE_STREAM_SPLIT" },
    { name: "k", data: numbers.map((number) => `${number % 5}`), type: "STRING" },
    { name: "b", data: numbers.map((number) => number % 3 === 0), type: "BOOLEAN", encoding: "RLE" },
  ] as const;
  const file = parquetWriteBuffer({
    columnData: columns.map((column) => ({ ...column, data: [...column.data] })),
  });
  const expected = numbers.map((n) => ({
    n,
    l: n,
    t: `prefix-${n}`,
    u: `prefix-${n}`,
    d: n,
    k: `${n % 5}`,
    b: n % 3 === 0,
  }));
  const read = parseJsonText(rowsOf(file));
  assert.equal("value" in read ? read.value : read.reason, expected);
});

/** Encodes a struct of 32-bit numbers in Thrift's compact protocol. Fields are numbered from `first`. */
function thrift(first: number, numbers: readonly number[]): number[] {
  return numbers.flatMap((number, index) => [index === 0 ? (first << 4) | 5 : 0x15, number * 2]);
}

const int32: Leaf = { type: "INT32", length: undefined, definition: 1, repetition: 0 };

function chunk(size: number): ColumnMetaData {
  return {
    type: "INT32",
    encodings: ["PLAIN"],
    path_in_schema: ["n"],
    codec: "UNCOMPRESSED",
    num_values: 3n,
    total_uncompressed_size: BigInt(size),
    total_compressed_size: BigInt(size),
    data_page_offset: 0n,
  };
}

/** Returns a page of version 1: optional int32s 7, null, 9 with their levels, one bit each, in a packed group. */
function firstPage(levels: readonly number[]): Uint8Array {
  const body = [levels.length, 0, 0, 0, ...levels, 7, 0, 0, 0, 9, 0, 0, 0];
  const header = [...thrift(1, [0, body.length, body.length]), 0x2c, ...thrift(1, [3, 0, 3, 3]), 0, 0];
  return Uint8Array.from([...header, ...body]);
}

test("version 1 pages are read too", () => {
  const page = firstPage([3, 0b101]);
  const { definitions, values } = readColumn(
    page,
    chunk(page.length),
    int32,
    new DecodingBudget("parquet", page.length),
  );
  assert.equal(definitions, [1, 0, 1]);
  assert.equal(values, [7, 9]);
});

test("a run longer than its page is truncated at the end of the page", () => {
  const page = firstPage([0xfe, 0xff, 0xff, 0xff, 0x0f, 0]);
  const { definitions } = readColumn(
    page,
    chunk(page.length),
    int32,
    new DecodingBudget("parquet", page.length),
  );
  assert.equal(definitions, [0, 0, 0]);
});

test("corrupt files fail the mapping and cause no other error", () => {
  const whole = new Uint8Array(parquetWriteBuffer({ schema: nested, columnData }));
  const random = createRandom(7);
  let failures = 0;
  for (let round = 0; round < 2000; round++) {
    const broken = Uint8Array.from(whole);
    for (let change = 0; change < 3; change++) broken[random(broken.length)] = random(256);
    try {
      parseParquet(broken, "", false);
    } catch (error) {
      assert.is((error as Error).name, "MappingError", String(error));
      assert.not.match((error as Error).message, /Cannot read|DataView/);
      failures++;
    }
  }
  assert.ok(failures > 100, `${failures} of the changes were noticed`);
});

test("input that is not a Parquet file is reported", () => {
  assert.throws(() => parseParquet("hello world lol", "", false), "parquet file invalid (footer != PAR1)");
  assert.throws(() => parseParquet("", "", false), "parquet file is too short");
  assert.throws(() => parseParquet(5, "", false), "expected bytes value, got number (5)");
});

test.run();
