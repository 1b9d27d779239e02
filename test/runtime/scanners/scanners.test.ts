import { Readable } from "node:stream";
import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Scanner } from "../../../runtime/component/scanner.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { archiveTar } from "../../../runtime/processors/archives/tar.ts";
import { avroScanner } from "../../../runtime/scanners/avro.ts";
import { chunkerScanner } from "../../../runtime/scanners/chunker.ts";
import { csvScanner } from "../../../runtime/scanners/csv.ts";
import { decompressScanner } from "../../../runtime/scanners/decompress.ts";
import { decompressSnappyScanner } from "../../../runtime/scanners/decompress-snappy.ts";
import { jsonDocumentsScanner } from "../../../runtime/scanners/json-documents.ts";
import { linesScanner } from "../../../runtime/scanners/lines.ts";
import { reMatchScanner } from "../../../runtime/scanners/re-match.ts";
import { skipBomScanner } from "../../../runtime/scanners/skip-bom.ts";
import { switchScanner } from "../../../runtime/scanners/switch.ts";
import { tarScanner } from "../../../runtime/scanners/tar.ts";
import { toTheEndScanner } from "../../../runtime/scanners/to-the-end.ts";
import { xmlDocumentsScanner } from "../../../runtime/scanners/xml-documents.ts";
import { batchOf, componentContext } from "../connectors/contexts.ts";

type Scanned = readonly [content: string, metadata?: Readonly<Record<string, Value>>, failure?: string];

/** Returns what a scanner produces from bytes that arrive in pieces of one size. */
async function scan(
  scanner: Scanner,
  bytes: Uint8Array | string,
  size: number,
  name = "",
): Promise<Scanned[]> {
  const whole = Buffer.from(bytes);
  async function* pieces() {
    for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
  }
  const scanned: Scanned[] = [];
  for await (const message of scanner.scan({ bytes: pieces(), name })) {
    const text = Buffer.from(message.bytes()).toString();
    const { failure } = message;
    const metadata = Object.fromEntries(message.metadata);
    if (failure !== undefined) scanned.push([text, metadata, failure.message]);
    else if (message.metadata.size > 0) scanned.push([text, metadata]);
    else scanned.push([text]);
  }
  return scanned;
}

const archive = (() => {
  const [made] = archiveTar({ format: "tar", path: () => "dir/ä.txt" }).process(
    batchOf("one\n", "two"),
    componentContext(),
  ) as readonly (readonly { bytes(): Uint8Array }[])[];
  return made?.[0]?.bytes() ?? new Uint8Array();
})();

/** Returns a number in Avro's binary encoding. */
function long(value: number): Buffer {
  const parts: number[] = [];
  let left = value * 2;
  for (; left >= 0x80; left = Math.floor(left / 128)) parts.push((left % 128) + 128);
  return Buffer.from([...parts, left]);
}

const text = (value: string) => Buffer.concat([long(Buffer.byteLength(value)), Buffer.from(value)]);

/** Returns an Avro object container file with `count` values in one block, according to the specification. */
function containerFile(schema: string, codec: string, count: number, block: Uint8Array): Buffer {
  const sync = Buffer.alloc(16, 7);
  const header = [long(2), text("avro.schema"), text(schema), text("avro.codec"), text(codec), long(0)];
  const start = [Buffer.from("Obj\u0001"), ...header, sync];
  return Buffer.concat([...start, long(count), long(block.length), block, sync]);
}

/** Returns an Avro object container file with two records. */
function avroFile(codec: "null" | "deflate"): Buffer {
  const schema =
    '{"type":"record","name":"R","fields":[{"name":"id","type":"long"},{"name":"s","type":["null","string"]}]}';
  const values = Buffer.concat([long(1), long(1), text("ü"), long(300), long(0)]);
  return containerFile(schema, codec, 2, codec === "null" ? values : deflateRawSync(values));
}

const logicalSchema = JSON.stringify({
  type: "record",
  name: "R",
  fields: [
    { name: "b", type: "bytes" },
    { name: "f", type: { type: "fixed", name: "F", size: 2 } },
    { name: "day", type: { type: "int", logicalType: "date" } },
    { name: "time", type: { type: "int", logicalType: "time-millis" } },
    { name: "at", type: ["null", { type: "long", logicalType: "timestamp-millis" }] },
    { name: "d", type: { type: "bytes", logicalType: "decimal", precision: 4, scale: 2 } },
  ],
});
const logicalValues = Buffer.from("0400ff6162b094020402f6010401f5", "hex");

/** A block of snappy with one value, 0, and the checksum of its content. */
const snappyBlock = Buffer.from([1, 0, 0, 0xd2, 0x02, 0xef, 0x8d]);

/** Two compressed and uncompressed frames that the library of the reference engine made. */
const framed = Buffer.from("/wYAAHNOYVBwWQAVAADRPaAsXxhhCmIKeHl67gMAagMAAAoBCAAAlPmEqmxhc3Q=", "base64");

const rows = 'a,b\r\n1,"x\ny, ""q"""\r\n\r\n3,ü';
const cases: readonly (readonly [string, Scanner, Uint8Array | string, readonly Scanned[]])[] = [
  ["lines", linesScanner(), "a\nb\r\nc", [["a"], ["b"], ["c"]]],
  ["lines with a carriage return at the end", linesScanner(), "a\n\r", [["a"], [""]]],
  ...["0000feff", "fffe0000", "efbbbf", "feff", "fffe", ""].map(
    (mark) =>
      [
        `skip_bom of the mark "${mark}"`,
        skipBomScanner({}),
        Buffer.concat([Buffer.from(mark, "hex"), Buffer.from("é\0")]),
        [["é\0"]],
      ] as const,
  ),
  [
    "avro with bytes and logical types, as in Avro's JSON encoding",
    avroScanner({}),
    containerFile(logicalSchema, "null", 1, logicalValues),
    [['{"at":{"long.timestamp-millis":123},"b":"\\u0000ÿ","d":"\\u0001õ","day":17688,"f":"ab","time":2}']],
  ],
  ["avro with snappy", avroScanner({}), containerFile('"long"', "snappy", 1, snappyBlock), [["0"]]],
  ["to_the_end", toTheEndScanner(), "a\nb", [["a\nb"]]],
  ["chunker", chunkerScanner({ size: 5 }), "hello world!", [["hello"], [" worl"], ["d!"]]],
  [
    "csv",
    csvScanner({}),
    rows,
    [
      ['{"a":"1","b":"x\\ny, \\"q\\""}', { csv_row: 0 }],
      ['{"a":"3","b":"ü"}', { csv_row: 1 }],
    ],
  ],
  [
    "csv without a header row",
    csvScanner({ parse_header_row: false, custom_delimiter: ";" }),
    "a;b\n1;2",
    [
      ['["a","b"]', { csv_row: 0 }],
      ['["1","2"]', { csv_row: 1 }],
    ],
  ],
  [
    "csv that continues after a fault in the first row",
    csvScanner({ parse_header_row: false, continue_on_error: true }),
    '1,x"y\n2,3\n4\n',
    [
      ['["1"]', { csv_row: 0 }, 'parse error on line 1, column 4: bare " in non-quoted-field'],
      ['["2","3"]', { csv_row: 1 }, "record on line 2: wrong number of fields"],
      ['["4"]', { csv_row: 2 }],
    ],
  ],
  [
    "csv that continues",
    csvScanner({ continue_on_error: true }),
    'b,10,9\n1,2,3\n\n3\n4,5,6,7\n8,x"y,0\n"9\n","a"b\n \n4,5,6\n',
    [
      ['{"10":"2","9":"3","b":"1"}', { csv_row: 0 }],
      ['{"b":"3"}', { csv_row: 1 }, "record on line 4: wrong number of fields"],
      ['{"10":"5","9":"6","b":"4"}', { csv_row: 2 }, "record on line 5: wrong number of fields"],
      ['{"b":"8"}', { csv_row: 3 }, 'parse error on line 6, column 4: bare " in non-quoted-field'],
      [
        '{"b":"9\\n"}',
        { csv_row: 4 },
        'record on line 7; parse error on line 8, column 5: extraneous or missing " in quoted-field',
      ],
      ['{"b":" "}', { csv_row: 5 }, "record on line 9: wrong number of fields"],
      ['{"10":"5","9":"6","b":"4"}', { csv_row: 6 }],
    ],
  ],
  [
    "json_documents",
    jsonDocumentsScanner(),
    '{"a":"}\\"{"} {"b":[1,2,"}"]}\n"x" 5 true[1]null',
    [['{"a":"}\\"{"}'], ['{"b":[1,2,"}"]}'], ['"x"'], ["5"], ["true"], ["[1]"], ["null"]],
  ],
  [
    "re_match",
    reMatchScanner({ pattern: "(?m)^\\d\\d:\\d\\d" }),
    "prä\n12:01 a\n b\n12:02 ü\n12:03",
    [["prä\n"], ["12:01 a\n b\n"], ["12:02 ü\n"], ["12:03"]],
  ],
  ["re_match at empty matches", reMatchScanner({ pattern: "b?" }), "xabc", [["x"], ["a"], ["bc"]]],
  [
    "re_match at the end, wherever chunks end",
    reMatchScanner({ pattern: "a|$" }),
    "xxaxxaé",
    [["xx"], ["axx"], ["aé"]],
  ],
  ["skip_bom", skipBomScanner({ into: linesScanner() }), "\ufeffa\nb", [["a"], ["b"]]],
  ["skip_bom without one", skipBomScanner({ into: linesScanner() }), "\u00efa", [["\u00efa"]]],
  [
    "tar",
    tarScanner(),
    archive,
    [
      ["one\n", { tar_name: "dir/ä.txt" }],
      ["two", { tar_name: "dir/ä.txt" }],
    ],
  ],
  [
    "decompress",
    decompressScanner({ algorithm: "gzip", into: linesScanner() }),
    gzipSync("a\nb"),
    [["a"], ["b"]],
  ],
  ["avro", avroScanner({}), avroFile("null"), [['{"id":1,"s":{"string":"ü"}}'], ['{"id":300,"s":null}']]],
  [
    "avro as plain JSON",
    avroScanner({ raw_json: true }),
    avroFile("deflate"),
    [['{"id":1,"s":"ü"}'], ['{"id":300,"s":null}']],
  ],
  [
    "xml_documents",
    xmlDocumentsScanner({ operator: "to_json", cast: true }),
    '<?xml version="1.0"?><a x="1"><b>ü &amp; 2</b><b>3</b></a>\n<!-- > <x/> --> &amp; <c/><d><![CDATA[<e>]]></d>',
    [['{"a":{"-x":1,"b":["ü & 2",3]}}'], ['{"c":""}'], ['{"d":"<e>"}']],
  ],
  [
    "xml_documents in encodings of their own",
    xmlDocumentsScanner({ operator: "to_json" }),
    Buffer.from(
      "\xdf&amp;<?xml version='1.0' encoding='latin1'?>\n<a b=\xe9 c>\xfc&uuml;</a>\xff<b>\xc3\xbc\r\n<i>]]</b>",
      "latin1",
    ),
    [['{"a":{"#text":"ü&uuml;","-b":"","-c":"c","-é":"é"}}'], ['{"b":{"#text":"ü","i":"]]"}}']],
  ],
  [
    "decompress of snappy",
    decompressSnappyScanner({ algorithm: "snappy", into: linesScanner() }),
    framed,
    [["a"], ["b"], ["xyz".repeat(30)], ["last"]],
  ],
  ["decompress of zstd", decompressScanner({ algorithm: "zstd" }), zstdCompressSync("a\nb"), [["a\nb"]]],
  [
    "decompress of several frames of zstd",
    decompressScanner({ algorithm: "zstd", into: linesScanner() }),
    Buffer.concat(["a\nb", "", "\nc\n".repeat(30)].map((text) => zstdCompressSync(text))),
    [["a"], ["b"], ...Array.from({ length: 59 }, (_, index): Scanned => [index % 2 === 0 ? "c" : ""])],
  ],
];

for (const [name, scanner, bytes, expected] of cases) {
  test(`${name}: the messages are the same, however the source is split into chunks`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (size) => {
        assert.equal(await scan(scanner, bytes, size), expected);
      }),
      { seed: 3, numRuns: 25, examples: [[1], [2], [3]] },
    );
  });
}

test("avro and xml_documents fail on invalid input", async () => {
  const file = avroFile("null");
  const broken: readonly (readonly [Scanner, Uint8Array | string, RegExp])[] = [
    [avroScanner({}), "no file", /not an Avro object container file/],
    [avroScanner({}), file.subarray(0, file.length - 3), /cut off/],
    [avroScanner({}), containerFile('"long"', "snappy", 1, Buffer.alloc(3)), /./],
    [
      avroScanner({}),
      containerFile('"long"', "snappy", 1, Buffer.concat([snappyBlock.subarray(0, -1), Buffer.of(0)])),
      /checksum/,
    ],
    [avroScanner({}), Buffer.concat([file.subarray(0, -16), Buffer.alloc(16)]), /marker/],
    [xmlDocumentsScanner({ operator: "to_json" }), "<a><b>", /cut off/],
    [xmlDocumentsScanner({ operator: "to_json" }), "<a>".repeat(2000), /more than 1000 elements/],
    [
      xmlDocumentsScanner({ operator: "to_json" }),
      "<a/>\n<a>\n<b x='<'>",
      /on line 3: unescaped < inside quoted/,
    ],
  ];
  for (const [scanner, bytes, reason] of broken)
    assert.match(await failureOf(async () => scan(scanner, bytes, 7)), reason);
});

test("switch uses the first scanner whose pattern matches the name, and rejects unmatched names", async () => {
  const byName = switchScanner({
    cases: [
      { re_match_name: "\\.csv$", scanner: csvScanner({ parse_header_row: false }) },
      { re_match_name: "\\.txt$", scanner: linesScanner() },
    ],
  });
  assert.equal(await scan(byName, "a,b", 9, "x.csv"), [['["a","b"]', { csv_row: 0 }]]);
  assert.equal(await scan(byName, "a,b", 9, "x.txt"), [["a,b"]]);
  assert.match(await failureOf(async () => scan(byName, "a", 9, "x.bin")), "No scanner takes");
});

const emptyFrames = Buffer.concat(Array.from({ length: 5_000 }, () => zstdCompressSync("")));

test("input in another format is rejected", async () => {
  const refused: readonly (readonly [Scanner, Uint8Array | string, RegExp])[] = [
    [jsonDocumentsScanner(), '{"a":', /not JSON/],
    [jsonDocumentsScanner(), "nothing", /not JSON/],
    [tarScanner(), archive.subarray(0, 900), /cut off/],
    [tarScanner(), Buffer.alloc(600, 1), /header/],
    [decompressScanner({ algorithm: "gzip" }), "plain", /not compressed by gzip/],
    [decompressSnappyScanner({ algorithm: "snappy" }), "plain", /not compressed by snappy/],
    [decompressSnappyScanner({ algorithm: "snappy" }), framed.subarray(0, -1), /not compressed by snappy/],
    [
      decompressSnappyScanner({ algorithm: "snappy" }),
      Buffer.concat([framed.subarray(0, -1), Buffer.of(1)]),
      /not compressed by snappy/,
    ],
    [decompressScanner({ algorithm: "zstd" }), "plain", /not compressed by zstd/],
    [decompressScanner({ algorithm: "zstd" }), emptyFrames, /not compressed by zstd/],
    [csvScanner({ expected_headers: ["a", "c"] }), rows, /expected_headers/],
    [csvScanner({}), 'a,b\n1,x"y', /bare "/],
    [csvScanner({}), "a,b\n1", /wrong number of fields/],
    [reMatchScanner({ pattern: "x", max_buffer_size: 4 }), "abcdef", /longer than 4/],
    [linesScanner({ max_buffer_size: 4 }), "abcdef", /longer than 4/],
  ];
  for (const [scanner, bytes, reason] of refused) {
    assert.match(await failureOf(() => scan(scanner, bytes, 7)), reason);
  }
});

test("documents before one that is not JSON are read", async () => {
  const source = { bytes: Readable.from([Buffer.from('{"n":1}{"n":2}[1,] {"n":3}')]), name: "" };
  const read: string[] = [];
  const failure = await failureOf(async () => {
    for await (const message of jsonDocumentsScanner().scan(source))
      read.push(Buffer.from(message.bytes()).toString());
  });
  assert.match(failure, /not JSON/);
  assert.equal(read, ['{"n":1}', '{"n":2}']);
});

test("a scanner reports the bytes that it retains", async () => {
  const kept: number[] = [];
  async function* pieces() {
    for (let index = 0; index < 50; index += 1) yield Buffer.from('{"n":1}\n');
  }
  const keep = async (bytes: number) => void kept.push(bytes);
  let count = 0;
  for await (const _ of jsonDocumentsScanner().scan({ bytes: pieces(), name: "", keep })) count += 1;
  assert.is(count, 50);
  assert.is(Math.max(...kept), 0);
});

async function failureOf(work: () => Promise<unknown>): Promise<string> {
  try {
    return `no failure: ${JSON.stringify(await work())}`;
  } catch (error) {
    return String(error);
  }
}

test.run();
