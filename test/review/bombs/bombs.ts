// Small messages that claim to be, or could expand to, far more than their size, by the component that reads them.

import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import { compileProto } from "../../../compiler/parse/protobuf/compile-proto.ts";
import type { ComponentContext, Processor } from "../../../runtime/component/component.ts";
import type { Scanner } from "../../../runtime/component/scanner.ts";
import { parseParquet } from "../../../runtime/mapping/parquet.ts";
import { parseYaml } from "../../../runtime/mapping/yaml.ts";
import { Message } from "../../../runtime/message/message.ts";
import { unarchiveBinary } from "../../../runtime/processors/archives/binary.ts";
import { unarchiveCsv } from "../../../runtime/processors/archives/csv.ts";
import { unarchiveJsonArray, unarchiveJsonDocuments } from "../../../runtime/processors/archives/json.ts";
import { unarchiveLines } from "../../../runtime/processors/archives/lines.ts";
import { unarchiveTar } from "../../../runtime/processors/archives/tar.ts";
import { unarchiveZip, writeZip } from "../../../runtime/processors/archives/zip.ts";
import { avroToJson } from "../../../runtime/processors/avro/avro.ts";
import { decompressBzip2 } from "../../../runtime/processors/compression/bzip2.ts";
import { decompressGzip, decompressZstd } from "../../../runtime/processors/compression/deflate.ts";
import { decompressLz4 } from "../../../runtime/processors/compression/lz4.ts";
import { decompressSnappy } from "../../../runtime/processors/compression/snappy.ts";
import { msgpackToJson } from "../../../runtime/processors/formats/msgpack.ts";
import { xml } from "../../../runtime/processors/formats/xml.ts";
import { grok } from "../../../runtime/processors/grok/grok.ts";
import { jmespath } from "../../../runtime/processors/jmespath/jmespath.ts";
import { jq } from "../../../runtime/processors/jq/jq.ts";
import { parquetDecode } from "../../../runtime/processors/parquet/decode.ts";
import { protobufFromJson, protobufToJson } from "../../../runtime/processors/protobuf/protobuf.ts";
import { avroScanner } from "../../../runtime/scanners/avro.ts";
import { csvScanner } from "../../../runtime/scanners/csv.ts";
import { decompressScanner } from "../../../runtime/scanners/decompress.ts";
import { jsonDocumentsScanner } from "../../../runtime/scanners/json-documents.ts";
import { linesScanner } from "../../../runtime/scanners/lines.ts";
import { tarScanner } from "../../../runtime/scanners/tar.ts";
import { toTheEndScanner } from "../../../runtime/scanners/to-the-end.ts";
import { xmlDocumentsScanner } from "../../../runtime/scanners/xml-documents.ts";
import { recordingLogger } from "../../runtime/connectors/contexts.ts";
import { linkTemplate } from "../../runtime/processors/template/linked.ts";
import { awkBombs } from "./awk-programs.ts";
import { bzip2Byte, bzip2Fours, bzip2Zeros, lz4Zeros, repeatedBzip2, yamlOfAliases } from "./contents.ts";
import { parquetBombs } from "./parquet-files.ts";

/** A message and the component that reads it. */
export interface Bomb {
  readonly name: string;
  /** Creates the message and its reader, which is not measured; returns the function that reads. */
  readonly prepare: () => () => unknown;
}

const context: ComponentContext = { log: recordingLogger(), signal: new AbortController().signal };

function process(name: string, make: () => Processor, content: () => Uint8Array | string): Bomb {
  return {
    name,
    prepare() {
      const processor = make();
      const given = content();
      const message =
        typeof given === "string" ? Message.fromText(given) : Message.fromBytes(given, new Map());
      return () => processor.process([message], context);
    },
  };
}

function scan(name: string, make: () => Scanner, content: () => Uint8Array | string): Bomb {
  return {
    name,
    prepare() {
      const scanner = make();
      const bytes = Buffer.from(content());
      return async () => {
        async function* source() {
          for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
        }
        let count = 0;
        // The reader consumes each message and keeps none.
        for await (const message of scanner.scan({ bytes: source(), name: "" })) {
          count += message.bytes().length;
          if (count > 64 * 1024 * 1024) break;
        }
      };
    },
  };
}

const zeros = (megabytes: number) => Buffer.alloc(megabytes * 1_000_000);

/** Encodes a number in Avro's zigzag encoding. */
function long(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.from([...bytes, Number(rest)]);
}

const nulls = JSON.stringify({ type: "array", items: "null" });
const binary = { operator: "to_json", encoding: "binary" } as const;

/** A schema of records that contain two records each, so deep that the empty message stands for 2^depth of them. */
function doubling(depth: number): string {
  let schema: unknown = { type: "record", name: "R0", fields: [] };
  for (let level = 1; level <= depth; level++) {
    const fields = [
      { name: "a", type: schema },
      { name: "b", type: `R${level - 1}` },
    ];
    schema = { type: "record", name: `R${level}`, fields };
  }
  return JSON.stringify(schema);
}

function avroFile(schema: string, codec: string, count: bigint, block: Uint8Array): Uint8Array {
  const entry = (key: string, value: string) => [
    long(BigInt(key.length)),
    Buffer.from(key),
    long(BigInt(value.length)),
    Buffer.from(value),
  ];
  const sync = Buffer.alloc(16);
  return Buffer.concat([
    Buffer.from("Obj\u0001", "latin1"),
    long(2n),
    ...entry("avro.codec", codec),
    ...entry("avro.schema", schema),
    long(0n),
    sync,
    long(count),
    long(BigInt(block.length)),
    block,
    sync,
  ]);
}

/** An archive whose entries all refer to the same compressed bytes. */
function overlappingZip(entries: number, size: number): Uint8Array {
  const one = Buffer.from(writeZip([["a", Buffer.alloc(size)]], new Date("2026-01-01")));
  const end = one.subarray(one.length - 22);
  const start = end.readUInt32LE(16);
  const entry = one.subarray(start, one.length - 22);
  const last = Buffer.from(end);
  last.writeUInt16LE(entries, 8);
  last.writeUInt16LE(entries, 10);
  return Buffer.concat([one.subarray(0, start), ...Array.from({ length: entries }, () => entry), last]);
}

const jqBombs: Readonly<Record<string, readonly [query: string, message: string]>> = {
  range: ["[range(.n)]", '{"n":1e12}'],
  "range without a list": ["last(range(.n))", '{"n":1e12}'],
  repeat: ["[limit(.n; repeat(1))]", '{"n":1e12}'],
  "a text many times": [".a * .n", '{"a":"abc","n":1e9}'],
  "a text doubled": ["reduce range(.n) as $i (.a; . + .)", '{"a":"abc","n":100}'],
  "a list doubled": ["reduce range(.n) as $i ([1]; . + .)", '{"n":100}'],
  "lists in a list": ["reduce range(.n) as $i ([1]; [., .]) | tojson", '{"n":40}'],
  "an index": ["setpath([.n]; 1)", '{"n":1e9}'],
  "an index that is assigned": [".[.[0]] = 1", "[1000000000]"],
  power: ["pow(.a; .n)", '{"a":10,"n":1e9}'],
  "a factorial": ["reduce range(1; .n) as $i (1; . * $i)", '{"n":1e9}'],
  "an exponent": [".a | tonumber", '{"a":"1e999999999"}'],
  "an exponent in JSON": [".a + 1", '{"a":1e999999999}'],
  recursion: ["def f: f, f; f", "{}"],
  "recursion that goes on": ["def f(x): if x > 0 then f(x - 1) + f(x - 1) else 1 end; f(.n)", '{"n":100}'],
  combinations: ["[.n, .n, .n] | [.[] | [range(.)]] | [combinations] | length", '{"n":1000}'],
  "empty matches": [
    '[.a | gsub(""; "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")] | length',
    `{"a":"${"a".repeat(50_000)}"}`,
  ],
  flattened: ["flatten(.n)", `{"n":1e12}`],
  "texts joined": ['[range(.n) | tostring] | join(",") | length', '{"n":1e12}'],
  "texts in a text": ["reduce range(.n) as $i (.a; tojson)", '{"a":"\\"","n":1000}'],
  slices: ["[range(.n) as $i | .a[$i:]] | length", `{"n":50000,"a":[${"1,".repeat(30_000)}1]}`],
  explode: ["[range(.n) as $i | .a | explode] | length", `{"n":50000,"a":"${"a".repeat(30_000)}"}`],
  "index of all": ['[.a | indices("a")] | length', `{"a":"${"a".repeat(60_000)}"}`],
  "sorted again": [
    "[range(.n) as $i | .a | sort | length] | length",
    `{"n":50000,"a":[${"2,1,".repeat(10_000)}1]}`,
  ],
  "printed again": [
    "[range(.n) as $i | .a | tojson | length] | length",
    `{"n":50000,"a":[${"2,1,".repeat(10_000)}1]}`,
  ],
  "matched again": ['[range(.n) as $i | .a | test("b")] | length', `{"n":50000,"a":"${"a".repeat(60_000)}"}`],
  "split again": [
    '[range(.n) as $i | .a | split("a") | length] | length',
    `{"n":50000,"a":"${"a".repeat(60_000)}"}`,
  ],
  "upper case again": [
    "[range(.n) as $i | .a | ascii_upcase | length] | length",
    `{"n":500000,"a":"${"a".repeat(60_000)}"}`,
  ],
  "keys again": [
    "[range(.n) as $i | .a | keys | length] | length",
    `{"n":50000,"a":[${"2,1,".repeat(10_000)}1]}`,
  ],
  "in each other": ["[..] | length", `${"[".repeat(30_000)}${"]".repeat(30_000)}`],
};

const proto = () =>
  Buffer.from(
    compileProto([
      {
        name: "t.proto",
        text: `syntax = "proto3";
message Node { Node next = 1; repeated Wide wides = 2; map<string, Node> names = 3; repeated int64 longs = 4; }
message Wide { ${Array.from({ length: 200 }, (_, at) => `string a_long_name_of_a_field_${at} = ${at + 1};`).join(" ")} }`,
      },
    ]),
  ).toString("base64");

const protoToJson = () =>
  protobufToJson({ operator: "to_json", message: "Node", descriptors: proto(), emit_unpopulated: true });

const protoFromJson = () =>
  protobufFromJson({ operator: "from_json", message: "Node", descriptors: proto() });

/** Templates with the functions that they call, by what their messages claim. */
const templates = await Promise.all(
  Object.entries({
    "a repeated text": "{{ repeat (int .n) .a }}",
    "a text in texts": "{{ range until 1000 }}{{ range until (int $.n) }}{{ $.a }}{{ end }}{{ end }}",
    "a padded number": '{{ printf "%*d" (int .n) 1 }}',
    "a product": "{{ range .b }}{{ range $.b }}{{ mulf . 1e300 }}{{ end }}{{ end }}",
    "replaced letters": '{{ replace "a" .a .a }}',
    "a list of lists": "{{ range until 64 }}{{ $x := list $ $ $ $ }}{{ toJson (list $x $x $x $x) }}{{ end }}",
  }).map(async ([name, text]) => {
    const linked = await linkTemplate({ text });
    if (!("processor" in linked)) throw new Error(linked.join());
    return [name, linked.processor] as const;
  }),
);

/** All bombs. */
export const bombs: readonly Bomb[] = [
  ...Object.entries(parquetBombs).flatMap(([name, make]) => [
    process(`parquet_decode: ${name}`, () => parquetDecode({ max_messages: 100_000_000 }), make),
    { name: `parse_parquet: ${name}`, prepare: () => parsing(make()) },
  ]),
  ...Object.entries({ "two aliases": [2, 60], "nine aliases": [9, 9] }).map(
    ([name, [aliases = 0, anchors = 0]]) => ({
      name: `parse_yaml: ${name} of what is before, again`,
      prepare: () => () => parseYaml(yamlOfAliases(aliases, anchors), ""),
    }),
  ),
  ...Object.entries(jqBombs).map(([name, [query, message]]) =>
    process(
      `jq: ${name}`,
      () => jq({ query }),
      () => message,
    ),
  ),
  process(
    "jmespath: an exponent",
    () => jmespath({ query: "to_number(a)" }),
    () => '{"a":"1e999999999"}',
  ),
  process(
    "jmespath: a sum",
    () => jmespath({ query: "sum(a)" }),
    () => `{"a":[${"1e300,".repeat(9000)}1]}`,
  ),
  process(
    "jmespath: a list in a list",
    () => jmespath({ query: "a[?contains(@.b, 'x')].b | [].c" }),
    () => `{"a":[${'{"b":["x"]},'.repeat(9000)}{"b":[]}]}`,
  ),
  ...templates.map(([name, processor]) =>
    process(
      `template: ${name}`,
      () => processor,
      () => `{"n":2000000000,"a":"${"a".repeat(9000)}","b":[${"1e300,".repeat(9000)}1]}`,
    ),
  ),
  ...awkBombs.map(([name, processor]) =>
    process(
      `awk: ${name}`,
      () => processor,
      () => `{"n":2000000000,"a":"${"a".repeat(9000)}","b":[1]}`,
    ),
  ),
  process(
    "avro: nulls",
    () => avroToJson({ ...binary, schema: nulls }),
    () => Buffer.concat([long(2n ** 60n), long(0n)]),
  ),
  process(
    "avro: blocks of nulls",
    () => avroToJson({ ...binary, schema: nulls }),
    () => Buffer.concat(Array.from({ length: 900 }, () => long(90_000n))),
  ),
  process(
    "avro: a long text",
    () => avroToJson({ ...binary, schema: '"bytes"' }),
    () => long(2n ** 40n),
  ),
  process(
    "avro: records in records",
    () => avroToJson({ ...binary, schema: doubling(20) }),
    () => new Uint8Array(),
  ),
  process(
    "avro: lists of records",
    () =>
      avroToJson({ ...binary, schema: JSON.stringify({ type: "array", items: JSON.parse(doubling(10)) }) }),
    () => Buffer.concat([long(90_000n), long(0n)]),
  ),
  scan(
    "scanner avro: records in records",
    () => avroScanner({}),
    () => avroFile(doubling(40), "null", 1n, Buffer.alloc(1)),
  ),
  scan(
    "scanner avro: a block that unpacks",
    () => avroScanner({}),
    () => avroFile('"null"', "deflate", 100_000n, deflateRawSync(zeros(100))),
  ),
  scan(
    "scanner avro: many values",
    () => avroScanner({}),
    () => avroFile(doubling(10), "null", 90_000n, Buffer.alloc(1)),
  ),
  scan(
    "scanner avro: a claimed block",
    () => avroScanner({}),
    () => {
      const file = avroFile('"null"', "snappy", 1n, Uint8Array.from([0xff, 0xff, 0xff, 0x3f, 0, 0, 0, 0, 0]));
      return file;
    },
  ),
  process(
    "msgpack: a list",
    () => msgpackToJson({ operator: "to_json" }),
    () => Uint8Array.of(0xdd, 255, 255, 255, 255, 1),
  ),
  process(
    "msgpack: lists in lists",
    () => msgpackToJson({ operator: "to_json" }),
    () => Buffer.concat(Array.from({ length: 50_000 }, () => Uint8Array.of(0xdd, 255, 255, 255, 255))),
  ),
  process(
    "msgpack: a map",
    () => msgpackToJson({ operator: "to_json" }),
    () => Uint8Array.of(0xdf, 255, 255, 255, 255, 0xa0),
  ),
  process(
    "xml: entities of entities",
    () => xml({ operator: "to_json" }),
    () =>
      `<!DOCTYPE a [<!ENTITY b0 "aaaaaaaaaa">${Array.from({ length: 20 }, (_, at) => `<!ENTITY b${at + 1} "${`&b${at};`.repeat(10)}">`).join("")}]><a>&b20;</a>`,
  ),
  process(
    "xml: elements in each other",
    () => xml({ operator: "to_json" }),
    () => "<a>".repeat(60_000),
  ),
  process(
    "grok: a pattern in a pattern",
    () => grok({ expressions: ["%{A:a}"], pattern_definitions: { A: "(?:%{B}*)*$", B: "(a|aa)+" } } as never),
    () => `${"a".repeat(60_000)}b`,
  ),
  process(
    "unarchive binary: many",
    () => unarchiveBinary({ format: "binary" }),
    () => Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0),
  ),
  process(
    "unarchive zip: entries that share bytes",
    () => unarchiveZip({ format: "zip" }),
    () => overlappingZip(1000, 10_000_000),
  ),
  process(
    "unarchive zip: empty entries",
    () => unarchiveZip({ format: "zip" }),
    () => overlappingZip(1500, 0),
  ),
  process(
    "unarchive csv: a row",
    () => unarchiveCsv({ format: "csv" }),
    () => `${"a,".repeat(30_000)}a\n${"1,".repeat(30_000)}1`,
  ),
  process(
    "unarchive csv: rows of many columns",
    () => unarchiveCsv({ format: "csv" }),
    () => `${Array.from({ length: 5000 }, (_, at) => `c${at}`).join(",")}\n${",\n".repeat(20_000)}`,
  ),
  process(
    "unarchive lines: many",
    () => unarchiveLines({ format: "lines" }),
    () => "\n".repeat(99_000),
  ),
  process(
    "unarchive json_array: many",
    () => unarchiveJsonArray({ format: "json_array" }),
    () => `[${"0,".repeat(90_000)}0]`,
  ),
  process(
    "unarchive json_documents: many",
    () => unarchiveJsonDocuments({ format: "json_documents" }),
    () => "0 ".repeat(90_000),
  ),
  process(
    "unarchive tar: a long name",
    () => unarchiveTar({ format: "tar" }),
    () => Buffer.alloc(60_000, "L"),
  ),
  process(
    "decompress gzip",
    () => decompressGzip({ algorithm: "gzip" }),
    () => gzipSync(zeros(100)),
  ),
  process(
    "decompress gzip in gzip",
    () => decompressGzip({ algorithm: "gzip" }),
    () => gzipSync(gzipSync(zeros(100))),
  ),
  process(
    "decompress zstd",
    () => decompressZstd({ algorithm: "zstd" }),
    () => zstdCompressSync(zeros(100)),
  ),
  process(
    "decompress zstd, nearly too much",
    () => decompressZstd({ algorithm: "zstd" }),
    () => zstdCompressSync(zeros(63)),
  ),
  process(
    "decompress bzip2",
    () => decompressBzip2({ algorithm: "bzip2" }),
    () => Buffer.from(bzip2Zeros, "base64"),
  ),
  process(
    "decompress bzip2, blocks of one byte",
    () => decompressBzip2({ algorithm: "bzip2" }),
    () => repeatedBzip2(bzip2Byte, 1700),
  ),
  process(
    "decompress bzip2, blocks that runs do not shorten",
    () => decompressBzip2({ algorithm: "bzip2" }),
    () => repeatedBzip2(bzip2Fours, 100),
  ),
  process(
    "decompress snappy",
    () => decompressSnappy({ algorithm: "snappy" }),
    () => Uint8Array.of(255, 255, 255, 63, 0),
  ),
  process("decompress lz4", () => decompressLz4({ algorithm: "lz4" }), lz4Zeros),
  scan(
    "scanner decompress",
    () => decompressScanner({ algorithm: "zstd" }),
    () => zstdCompressSync(zeros(100)),
  ),
  scan(
    "scanner decompress: lines",
    () => decompressScanner({ algorithm: "zstd", into: linesScanner({}) }),
    () => zstdCompressSync(zeros(100)),
  ),
  process("protobuf: a length", protoToJson, () => Uint8Array.of(0x12, 0xff, 0xff, 0xff, 0xff, 0x07)),
  process("protobuf: empty messages", protoToJson, () => Buffer.from("1200".repeat(45_000), "hex")),
  process("protobuf: packed numbers", protoToJson, () =>
    Buffer.concat([Uint8Array.of(0x22, 0x90, 0xbf, 0x05), Buffer.alloc(90_000)]),
  ),
  process("protobuf: in each other", protoToJson, () => Buffer.alloc(90_000, 0x0b)),
  process("protobuf: JSON in each other", protoFromJson, () => '{"next":'.repeat(11_000)),
  process("protobuf: JSON of empty messages", protoFromJson, () => `{"wides":[${"{},".repeat(29_000)}{}]}`),
  scan(
    "scanner csv: a row",
    () => csvScanner({}),
    () => `a\n"${"x".repeat(90_000)}`,
  ),
  scan(
    "scanner csv: rows of many columns",
    () => csvScanner({}),
    () => `${"a,".repeat(5000)}a\n${",\n".repeat(20_000)}`,
  ),
  scan(
    "scanner json_documents: in each other",
    () => jsonDocumentsScanner({}),
    () => "[".repeat(90_000),
  ),
  scan(
    "scanner tar: a size",
    () => tarScanner({}),
    () => Buffer.alloc(60_000, "7"),
  ),
  scan(
    "scanner to_the_end",
    () => toTheEndScanner({}),
    () => Buffer.alloc(90_000),
  ),
  scan(
    "scanner xml_documents: in each other",
    () => xmlDocumentsScanner({ operator: "to_json" } as never),
    () => "<a>".repeat(30_000),
  ),
];

function parsing(bytes: Uint8Array): () => unknown {
  return () => parseParquet(bytes, "", false);
}
