// Object container files (Avro 1.11, "Object Container Files"), read block by block.

import { crc32, inflateRawSync } from "node:zlib";
import type { Scanner } from "../component/scanner.ts";
import { MappingError } from "../errors.ts";
import { unpackSnappy } from "../mapping/snappy.ts";
import { Message } from "../message/message.ts";
import { AvroReader } from "../processors/avro/binary.ts";
import { AvroSchemaError, readAvroSchema } from "../processors/avro/schema.ts";
import type { AvroType } from "../processors/avro/type.ts";
import { asDocument } from "../processors/formats/converting.ts";
import { asBuffer, decodeUtf8 } from "../text/utf8.ts";
import { Gathered, largestMessage, unfitSource } from "./gathered.ts";
import { type AvroScannerOptions, avroScannerDefaults } from "./generated/avro-scanner-options.ts";

const magic = /* @__PURE__ */ Buffer.from("Obj\u0001", "latin1");

/** The maximum number of bytes of a header key or value. Schemas may be long. */
const longestEntry = 16 * 1024 * 1024;

/** The maximum number of header entries. */
const mostEntries = 1000;

/** The maximum number of values without bytes in a block: otherwise a few bytes could claim any number of values. */
const mostEmptyValues = 100_000;

const syncLength = 16;

/** Makes a message of each value of an Avro object container file (Avro 1.11), as JSON by the schema in the file. */
export function avroScanner(options: AvroScannerOptions): Scanner {
  const { raw_json } = { ...avroScannerDefaults, ...options };
  return {
    async *scan(source) {
      const bytes = new Gathered(source);
      try {
        yield* readFile(bytes, raw_json);
      } catch (error) {
        if (error instanceof MappingError || error instanceof AvroSchemaError)
          throw unfitSource(error.message, error);
        throw error;
      } finally {
        await bytes.close();
      }
    },
  };
}

async function* readFile(bytes: Gathered, isBare: boolean): ReturnType<Scanner["scan"]> {
  const { type, unpack, sync } = await readHeader(bytes, isBare);
  for (;;) {
    const first = await bytes.take(1);
    if (first.length === 0) return;
    const count = await readLong(bytes, first[0]);
    const size = await readLong(bytes);
    if (count < 0 || size < 0 || size > largestMessage) throw unfitSource("The file has a block of no size");
    const packed = await take(bytes, size);
    if (Buffer.compare(await take(bytes, syncLength), sync) !== 0)
      throw unfitSource("A block of the file does not end with the file's marker");
    const block = unpack(packed);
    if (count > block.length + mostEmptyValues) throw unfitSource("A block has more values than bytes");
    const reader = new AvroReader(block);
    for (let left = count; left > 0; left -= 1) yield asDocument(Message.fromText(""), type.read(reader));
  }
}

interface Header {
  readonly type: AvroType;
  readonly unpack: (block: Uint8Array) => Uint8Array;
  readonly sync: Uint8Array;
}

async function readHeader(bytes: Gathered, isBare: boolean): Promise<Header> {
  if (Buffer.compare(await take(bytes, magic.length), magic) !== 0)
    throw unfitSource("The source is not an Avro object container file");
  const entries = new Map<string, Uint8Array>();
  for (let count = await readLong(bytes); count !== 0; count = await readLong(bytes)) {
    // After a negative count comes the size of the block in bytes.
    if (count < 0) await readLong(bytes);
    for (let left = Math.abs(count); left > 0; left -= 1) {
      const key = decodeUtf8(await readEntry(bytes));
      entries.set(key, await readEntry(bytes));
      if (entries.size > mostEntries) throw unfitSource("The header of the file is too large");
    }
  }
  const codec = decodeUtf8(entries.get("avro.codec") ?? Buffer.from("null"));
  const unpack = codecs.get(codec);
  if (unpack === undefined)
    throw unfitSource(`The file is compressed by ${codec.slice(0, 40)}, which is not known`);
  const schema = decodeUtf8(entries.get("avro.schema") ?? new Uint8Array());
  const { type } = readAvroSchema(schema, { json: isBare ? "bare" : "tagged" });
  return { type, unpack, sync: await take(bytes, syncLength) };
}

/** Length of the checksum of the content, after a snappy block, in bytes. */
const checksumLength = 4;

const codecs: ReadonlyMap<string, Header["unpack"]> = /* @__PURE__ */ new Map([
  ["null", (block) => block],
  ["deflate", inflate],
  ["snappy", unpackChecked],
]);

function unpackChecked(block: Uint8Array): Uint8Array {
  const content = unpackSnappy(block.subarray(0, -checksumLength), largestMessage);
  const checksum = asBuffer(block.subarray(-checksumLength));
  if (checksum.length < checksumLength || checksum.readUInt32BE() !== crc32(content))
    throw unfitSource("A block of the file does not have its checksum");
  return content;
}

function inflate(block: Uint8Array): Uint8Array {
  try {
    return inflateRawSync(block, { maxOutputLength: largestMessage });
  } catch (error) {
    throw unfitSource("A block of the file cannot be unpacked", error);
  }
}

async function readEntry(bytes: Gathered): Promise<Uint8Array> {
  const length = await readLong(bytes);
  if (length < 0 || length > longestEntry) throw unfitSource("The header of the file is too large");
  return take(bytes, length);
}

async function take(bytes: Gathered, count: number): Promise<Uint8Array> {
  const taken = await bytes.take(count);
  if (taken.length < count) throw unfitSource("The Avro file is cut off");
  return taken;
}

/** Reads a zigzag-encoded variable-length integer. Values beyond 2^53 are imprecise, but exceed every limit here. */
async function readLong(bytes: Gathered, first?: number): Promise<number> {
  const parts: number[] = [];
  for (let byte = first ?? (await take(bytes, 1))[0] ?? 0; ; byte = (await take(bytes, 1))[0] ?? 0) {
    parts.push(byte);
    if (byte < 0x80) break;
    if (parts.length === 10) throw unfitSource("A number of the file is longer than 64 bits");
  }
  return Number(new AvroReader(Uint8Array.from(parts)).long());
}
