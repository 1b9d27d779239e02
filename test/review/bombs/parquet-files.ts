// Small Parquet files that claim to be large, encoded by hand in Thrift's compact protocol.

import { gzipSync } from "node:zlib";
import { ByteWriter } from "hyparquet-writer";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { packSnappy } from "../../../runtime/mapping/snappy.ts";

const magic = Buffer.from("PAR1");

type Fields = Record<`field_${number}`, unknown>;

function thrift(fields: Fields): Uint8Array {
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, fields);
  return writer.getBytes();
}

/** Returns a file of pages with the metadata that describes them. */
function fileOf(pages: readonly Uint8Array[], metadata: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([magic, ...pages, metadata, length, magic]);
}

const physical = { boolean: 0, int32: 1, int64: 2, bytes: 6 } as const;
const repetition = { required: 0, optional: 1, repeated: 2 } as const;
const encodings = { plain: 0, delta: 5, dictionary: 8 } as const;
const codecs = { none: 0, snappy: 1, gzip: 2 } as const;

interface PageOptions {
  readonly type?: number;
  readonly count: number;
  readonly encoding?: number;
  readonly body: Uint8Array;
  readonly size?: number;
}

function page({
  type = 0,
  count,
  encoding = encodings.plain,
  body,
  size = body.length,
}: PageOptions): Uint8Array {
  const own =
    type === 2
      ? { field_7: { field_1: count, field_2: encodings.plain } }
      : { field_5: { field_1: count, field_2: encoding, field_3: 3, field_4: 3 } };
  return Buffer.concat([thrift({ field_1: type, field_2: size, field_3: body.length, ...own }), body]);
}

interface FileOptions {
  readonly rows: number;
  readonly columns?: number;
  readonly kind?: keyof typeof physical;
  readonly repeated?: keyof typeof repetition;
  readonly codec?: keyof typeof codecs;
  readonly dictionary?: Uint8Array;
  readonly data: Uint8Array;
  readonly entries?: number;
}

/** Returns a file whose columns all refer to the same bytes. */
function tableOf(options: FileOptions): Uint8Array {
  const {
    rows,
    columns = 1,
    kind = "int32",
    repeated = "optional",
    codec = "none",
    dictionary,
    data,
  } = options;
  const pages = dictionary === undefined ? [data] : [dictionary, data];
  const size = pages.reduce((sum, each) => sum + each.length, 0);
  const names = Array.from({ length: columns }, (_, index) => `c${index}`);
  const chunks = names.map((name) => ({
    field_2: 4n,
    field_3: {
      field_1: physical[kind],
      field_2: [0, 3, 8],
      field_3: [name],
      field_4: codecs[codec],
      field_5: BigInt(options.entries ?? rows),
      field_6: BigInt(size),
      field_7: BigInt(size),
      field_9: BigInt(4 + (dictionary?.length ?? 0)),
      ...(dictionary !== undefined && { field_11: 4n }),
    },
  }));
  const schema = [
    { field_4: "root", field_5: columns },
    ...names.map((name) => ({ field_1: physical[kind], field_3: repetition[repeated], field_4: name })),
  ];
  const group = { field_1: chunks, field_2: BigInt(size), field_3: BigInt(rows) };
  return fileOf(
    pages,
    thrift({ field_1: 1, field_2: schema, field_3: BigInt(rows), field_4: [group], field_6: "test" }),
  );
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

/** Levels as a single run, after their length. */
function runOf(count: number, level: number): Uint8Array {
  const run = [...varint(count * 2), level];
  return Uint8Array.from([run.length, 0, 0, 0, ...run]);
}

const many = 16_000_000;

function nested(depth: number): Uint8Array {
  const schema = Array.from({ length: depth }, () => ({ field_3: 1, field_4: "a", field_5: 1 }));
  const leaf = { field_1: 1, field_3: 1, field_4: "a" };
  return fileOf([], thrift({ field_1: 1, field_2: [...schema, leaf], field_3: 1n, field_4: [] }));
}

/** Nested lists, each of which claims to have 30 million elements. */
function claimedLists(depth: number): Uint8Array {
  const head = [0xf9, ...varint(30_000_000)];
  return fileOf([], Uint8Array.from([0x29, ...Array.from({ length: depth }, () => head).flat(), 0]));
}

const text = Buffer.alloc(1_000_000, "a");
const dictionaryBody = Buffer.concat([Uint8Array.of(0x40, 0x42, 0x0f, 0), text]);

/** Bombs of a few KB, by what they do. */
export const parquetBombs: Readonly<Record<string, () => Uint8Array>> = {
  "a run of nulls": () => tableOf({ rows: many, data: page({ count: many, body: runOf(many, 0) }) }),
  "columns that share a run": () =>
    tableOf({ rows: 1_000_000, columns: 200, data: page({ count: 1_000_000, body: runOf(1_000_000, 0) }) }),
  "pages without values that columns share": () =>
    tableOf({
      rows: 1,
      columns: 3000,
      data: Buffer.concat(Array.from({ length: 5000 }, () => page({ count: 0, body: new Uint8Array() }))),
    }),
  "a long text of a dictionary, again and again": () =>
    tableOf({
      rows: 1_000_000,
      kind: "bytes",
      repeated: "required",
      codec: "gzip",
      dictionary: page({ type: 2, count: 1, body: gzipSync(dictionaryBody), size: dictionaryBody.length }),
      data: compressed(
        page,
        { count: 1_000_000, encoding: encodings.dictionary },
        Uint8Array.from([1, ...varint(2_000_000), 0]),
      ),
    }),
  "a page that unpacks to 70 MB": () => {
    const body = gzipSync(Buffer.alloc(70_000_000));
    return tableOf({ rows: 1, codec: "gzip", data: page({ count: 1, body, size: 70_000_000 }) });
  },
  "pages of snappy that claim 200 MB": () => {
    const body = packSnappy(Buffer.from("a"));
    const one = page({ count: 1, body, size: 200_000_000 });
    return tableOf({
      rows: 100,
      codec: "snappy",
      data: Buffer.concat(Array.from({ length: 100 }, () => one)),
    });
  },
  "differences of a number of 8,000 bytes": () => {
    const number = [...Array.from({ length: 8000 }, () => 0xff), 1];
    const body = Uint8Array.from([
      ...varint(128),
      ...varint(4),
      ...varint(1_000_000),
      2,
      ...number,
      0,
      0,
      0,
      0,
    ]);
    return tableOf({
      rows: 1_000_000,
      kind: "int64",
      repeated: "required",
      data: page({ count: 1_000_000, encoding: encodings.delta, body }),
    });
  },
  "groups in each other": () => nested(5000),
  "lists that claim to be long": () => claimedLists(30),
  "a row of many elements": () =>
    tableOf({
      rows: 1,
      entries: many,
      repeated: "repeated",
      data: page({ count: many, body: Buffer.concat([runOf(many, 1), runOf(many, 0)]) }),
    }),
};

function compressed(make: typeof page, options: Omit<PageOptions, "body">, body: Uint8Array): Uint8Array {
  return make({ ...options, body: gzipSync(body), size: body.length });
}
