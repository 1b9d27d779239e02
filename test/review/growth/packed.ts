// Components that pack and unpack messages and bodies as work: on texts, on packed texts, and on archives of many
// entries.

import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { ComponentContext, Processor } from "../../../runtime/component/component.ts";
import { readBody } from "../../../runtime/http/read-body.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { ByteBudget } from "../../../runtime/process/memory/body-budget.ts";
import { archiveBinary, unarchiveBinary } from "../../../runtime/processors/archives/binary.ts";
import { unarchiveCsv } from "../../../runtime/processors/archives/csv.ts";
import {
  archiveJsonArray,
  unarchiveJsonArray,
  unarchiveJsonDocuments,
  unarchiveJsonMap,
} from "../../../runtime/processors/archives/json.ts";
import {
  archiveConcatenated,
  archiveLines,
  unarchiveLines,
} from "../../../runtime/processors/archives/lines.ts";
import { archiveTar, unarchiveTar } from "../../../runtime/processors/archives/tar.ts";
import { archiveZip, unarchiveZip } from "../../../runtime/processors/archives/zip.ts";
import { decompressBzip2 } from "../../../runtime/processors/compression/bzip2.ts";
import {
  compressFlate,
  compressGzip,
  compressZlib,
  compressZstd,
  decompressFlate,
  decompressGzip,
  decompressZlib,
  decompressZstd,
} from "../../../runtime/processors/compression/deflate.ts";
import { compressLz4, decompressLz4 } from "../../../runtime/processors/compression/lz4.ts";
import { compressSnappy, decompressSnappy } from "../../../runtime/processors/compression/snappy.ts";
import { recordingLogger } from "../../runtime/connectors/contexts.ts";
import type { Input } from "./inputs.ts";
import type { Work } from "./measure.ts";

const algorithms = {
  flate: [compressFlate({ algorithm: "flate" }), decompressFlate({ algorithm: "flate" })],
  gzip: [compressGzip({ algorithm: "gzip" }), decompressGzip({ algorithm: "gzip" })],
  lz4: [compressLz4({ algorithm: "lz4" }), decompressLz4({ algorithm: "lz4" })],
  snappy: [compressSnappy({ algorithm: "snappy" }), decompressSnappy({ algorithm: "snappy" })],
  zlib: [compressZlib({ algorithm: "zlib" }), decompressZlib({ algorithm: "zlib" })],
  zstd: [compressZstd({ algorithm: "zstd" }), decompressZstd({ algorithm: "zstd" })],
} as const;

const path = (start: string) => (_batch: Batch, index: number) => `${start}${index}`;

/** Processors that write, given a prefix of the names of entries, and that read, with the default limits. */
const archives = {
  binary: [() => archiveBinary({ format: "binary" }), unarchiveBinary({ format: "binary" })],
  json_array: [
    () => archiveJsonArray({ format: "json_array" }),
    unarchiveJsonArray({ format: "json_array" }),
  ],
  lines: [() => archiveLines({ format: "lines" }), unarchiveLines({ format: "lines" })],
  tar: [(start: string) => archiveTar({ format: "tar", path: path(start) }), unarchiveTar({ format: "tar" })],
  zip: [(start: string) => archiveZip({ format: "zip", path: path(start) }), unarchiveZip({ format: "zip" })],
} as const;

/** Processors that read, including formats that `archive` does not write. */
const unpackers: Readonly<Record<string, Processor>> = {
  bzip2: decompressBzip2({ algorithm: "bzip2" }),
  csv: unarchiveCsv({ format: "csv" }),
  json_map: unarchiveJsonMap({ format: "json_map" }),
  json_documents: unarchiveJsonDocuments({ format: "json_documents" }),
  ...Object.fromEntries(Object.entries(algorithms).map(([name, [, unpack]]) => [name, unpack])),
  ...Object.fromEntries(Object.entries(archives).map(([name, [, unarchive]]) => [name, unarchive])),
};

/** Compressors by content encoding, as headers name it. */
const encodings = {
  br: brotliCompressSync,
  deflate: deflateSync,
  gzip: gzipSync,
  zstd: zstdCompressSync,
} as const;

const context: ComponentContext = { log: recordingLogger(), signal: new AbortController().signal };

/** Returns the works on the texts of an input. */
export function worksOnPacked(input: Input<string>): readonly Work[] {
  const named = (name: string) => `${name}, ${input.name}`;
  const on = (name: string, prepare: (text: string) => () => unknown): Work => {
    return { name: named(name), prepare: (size) => prepare(input.make(size)) };
  };
  return [
    ...Object.entries(algorithms).flatMap(([name, [pack, unpack]]) => [
      on(`compress ${name}`, (text) => running(pack, [Message.fromText(text)])),
      on(`decompress ${name}, packed`, (text) => running(unpack, process(pack, [Message.fromText(text)]))),
    ]),
    // Invalid input is refused, which has to be just as fast.
    ...Object.entries(unpackers).map(([name, unpack]) =>
      on(`unpack ${name}`, (text) => () => unpack.process([Message.fromText(text)], context)),
    ),
    ...Object.entries(encodings).flatMap(([name, pack]) => [
      on(`body in ${name}`, (text) => reading(name, pack(text))),
      on(`body in ${name}, three layers`, (text) =>
        reading(`${name},${name},${name}`, pack(pack(pack(text)))),
      ),
      on(`body in ${name} that is none`, (text) => reading(name, Buffer.from(text))),
    ]),
  ];
}

/** Bytes of a message in an archive; the size of the input determines their number. */
const entrySize = 64;

/** Writing and reading archives of many small entries, with short names and with names that need an extra header. */
export const worksOnArchives: readonly Work[] = ["", "n".repeat(120)].flatMap((start) =>
  Object.entries(archives).flatMap(([format, [archive, unpack]]) => {
    const entriesOf = (size: number) =>
      Array.from({ length: Math.ceil(size / entrySize) }, (_, index) =>
        Message.fromText(`{"number":${index}}`),
      );
    const pack = archive(start);
    const name = `${format} of many entries${start === "" ? "" : " with long names"}`;
    return [
      { name: `archive ${name}`, prepare: (size: number) => running(pack, entriesOf(size)) },
      {
        name: `unarchive ${name}`,
        prepare: (size: number) => running(unpack, process(pack, entriesOf(size))),
      },
    ];
  }),
);

/** Concatenated messages, which no processor splits again. */
export const concatenation: Work = {
  name: "archive concatenate of many entries",
  prepare: (size) =>
    running(
      archiveConcatenated({ format: "concatenate" }),
      Array.from({ length: Math.ceil(size / entrySize) }, () => Message.fromText("a".repeat(entrySize))),
    ),
};

function running(processor: Processor, batch: Batch): () => Batch {
  return () => process(processor, batch);
}

/** Returns the resulting batch; throws if processing fails. */
function process(processor: Processor, batch: Batch): Batch {
  const made = processor.process(batch, context);
  if (made instanceof Promise) throw new TypeError("what packs and unpacks does not wait");
  const [result = []] = made;
  for (const { failure } of result) if (failure !== undefined) throw failure;
  return result;
}

/** Returns the work of reading a body as listeners do. */
function reading(encoding: string, bytes: Buffer): () => Promise<unknown> {
  return () => {
    const request = new IncomingMessage(new Socket());
    request.headers = { "content-encoding": encoding };
    request.push(bytes);
    request.push(null);
    request.complete = true;
    const limit = 16 * 1024 * 1024;
    return readBody(request, limit, new ByteBudget(limit).hold());
  };
}
