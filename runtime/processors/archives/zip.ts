// `zip` archives (APPNOTE 6.3.10, section 4.3).

import { crc32, deflateRawSync } from "node:zlib";
import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { unpackFlate } from "../../mapping/deflate.ts";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { archiving } from "./packing.ts";
import { named, type UnpackBudget, unarchiving } from "./unpacking.ts";

/** The format version that a reader must support to read an entry. */
const version = 20;
/** Flag: names are UTF-8. */
const flags = 0x0800;
const deflated = 8;

/** Writes each message as a deflated file named by its `path`. */
export function archiveZip(options: ArchiveOptions): Processor {
  return archiving(options, (batch, first, pathOf) => {
    const files = batch.map((message, index): PlainFile => [pathOf(index), message.bytes()]);
    return first.withBytes(writeZip(files, new Date()));
  });
}

/** A path with slashes, and the content of the file. */
type PlainFile = readonly [path: string, content: Uint8Array];

/** Returns an archive of deflated files, all last modified at `now`. */
export function writeZip(files: readonly PlainFile[], now: Date): Uint8Array {
  const [time, date] = dosTime(now);
  const locals: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = encodeUtf8(path);
    const packed = deflateRawSync(content);
    // The part that both headers of an entry share.
    const common = numbers(
      [2, version, flags, deflated, time, date],
      [4, crc32(content), packed.length, content.length],
      [2, name.length, 0],
    );
    const local = Buffer.concat([numbers([4, 0x04034b50]), common, name, packed]);
    const rest = numbers([2, 0, 0, 0], [4, 0, offset]);
    directory.push(numbers([4, 0x02014b50], [2, version]), common, rest, name);
    locals.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const count = Math.min(files.length, manyFiles);
  const end = numbers([4, endHeader], [2, 0, 0, count, count], [4, index.length, offset], [2, 0]);
  const more = files.length < manyFiles ? [] : [end64(files.length, index.length, offset)];
  return Buffer.concat([...locals, index, ...more, end]);
}

/** Returns the end of a ZIP64 directory and its locator (APPNOTE 6.3.10, sections 4.3.14 and 4.3.15). */
function end64(count: number, length: number, offset: number): Uint8Array {
  const bytes = Buffer.alloc(end64Length + locator64Length);
  bytes.writeUInt32LE(endHeader64, 0);
  // The size of the record after this field.
  bytes.writeBigUInt64LE(BigInt(end64Length - 12), 4);
  bytes.writeUInt16LE(version64, 12);
  bytes.writeUInt16LE(version64, 14);
  bytes.writeBigUInt64LE(BigInt(count), 24);
  bytes.writeBigUInt64LE(BigInt(count), 32);
  bytes.writeBigUInt64LE(BigInt(length), 40);
  bytes.writeBigUInt64LE(BigInt(offset), 48);
  bytes.writeUInt32LE(locator64, end64Length);
  bytes.writeBigUInt64LE(BigInt(offset + length), end64Length + 8);
  bytes.writeUInt32LE(1, end64Length + 16);
  return bytes;
}

/** Makes a message of each entry. The metadata `archive_filename` is its name. */
export function unarchiveZip(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) =>
    readZip(message.bytes(), room).map(({ name, content }) =>
      named(message.withBytes(content), "archive_filename", decodeUtf8(name)),
    ),
  );
}

/** Returns runs of little-endian numbers. Each run begins with the size of its numbers in bytes. */
function numbers(...runs: readonly (readonly [2 | 4, ...number[]])[]): Uint8Array {
  const parts = runs.flatMap(([size, ...values]) =>
    values.map((value) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );
  return Buffer.concat(parts);
}

/** Returns the time in steps of two seconds, and the date from 1980 on. */
function dosTime(now: Date): readonly [number, number] {
  const time = (now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1);
  // Limit the year: the clock may be wrong.
  const year = Math.max(0, Math.min(now.getUTCFullYear() - 1980, 0x7f));
  const date = (year << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate();
  return [time, date];
}

/** An entry of an archive. Folders have no content. */
interface ZipEntry {
  readonly name: Uint8Array;
  readonly content: Uint8Array;
}

const localHeader = 0x04034b50;
const directoryHeader = 0x02014b50;
const endHeader = 0x06054b50;
/** The length of the end record without the comment that may follow it. */
const endLength = 22;
const longestComment = 0xffff;
const stored = 0;
/** The value of a field whose number is too large for it, and is stored elsewhere. */
const elsewhere = 0xffffffff;
/** From this number of files on, their number is stored elsewhere. */
const manyFiles = 0xffff;
const version64 = 45;
const endHeader64 = 0x06064b50;
const end64Length = 56;
const locator64 = 0x07064b50;
const locator64Length = 20;

/** Returns all entries in the order of the directory. Throws if the archive is invalid or exceeds the budget. */
export function readZip(bytes: Uint8Array, room: UnpackBudget): readonly ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const { count, start } = readEnd(view, end);
  const entries: ZipEntry[] = [];
  for (let left = count, at = start; left > 0; left--) {
    if (at + 46 > end || view.getUint32(at, true) !== directoryHeader)
      throw broken("its directory is damaged");
    const nameLength = view.getUint16(at + 28, true);
    const name = bytes.subarray(at + 46, at + 46 + nameLength);
    entries.push({ name, content: readContent(bytes, view, at, room) });
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Returns the number of entries of a directory, and its start. */
function readEnd(view: DataView, end: number): { readonly count: number; readonly start: number } {
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  const at = end - locator64Length;
  const is64 = count === manyFiles || start === elsewhere;
  if (!is64 || at < 0 || view.getUint32(at, true) !== locator64) return { count, start };
  const place = Number(view.getBigUint64(at + 8, true));
  if (place > at - end64Length || view.getUint32(place, true) !== endHeader64)
    throw broken("its directory is damaged");
  return {
    count: Number(view.getBigUint64(place + 32, true)),
    start: Number(view.getBigUint64(place + 48, true)),
  };
}

/** Finds the end record: the last one whose comment extends to the end of the archive. */
function findEnd(view: DataView): number {
  const last = view.byteLength - endLength;
  for (let at = last; at >= 0 && at >= last - longestComment; at--) {
    if (view.getUint32(at, true) !== endHeader) continue;
    if (at + endLength + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw broken("it is not a zip archive, or is truncated");
}

function readContent(bytes: Uint8Array, view: DataView, at: number, room: UnpackBudget): Uint8Array {
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const packedSize = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const offset = view.getUint32(at + 42, true);
  if (flags & 1) throw broken("it holds an encrypted file", "zip: encrypted files are not supported");
  if ([packedSize, size, offset].includes(elsewhere)) {
    throw broken("archives of the ZIP64 kind are not supported", "zip: ZIP64 is not supported");
  }
  if (offset + 30 > bytes.length || view.getUint32(offset, true) !== localHeader) {
    throw broken("the header of a file is damaged");
  }
  // The directory has the sizes, but the length of the header is only in the header.
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  const packed = bytes.subarray(start, start + packedSize);
  if (packed.length < packedSize) throw broken("it ends too early");
  room.take(size);
  const content = unpack(method, packed, size);
  if (crc32(content) !== view.getUint32(at + 16, true))
    throw broken("a file does not fit its checksum", "zip: checksum error");
  return content;
}

/** Returns the content. It must have exactly the declared size, because the budget was spent for that size. */
function unpack(method: number, packed: Uint8Array, size: number): Uint8Array {
  if (method !== stored && method !== deflated) {
    throw broken(
      `it holds a file that is compressed by method ${method}, which is not supported`,
      "zip: unsupported compression algorithm",
    );
  }
  const content = method === stored ? packed : unpackFlate(packed, Math.max(size, 1));
  if (content.length !== size) throw broken("the size of a file does not match its header");
  return content;
}

/**
 * Returns the error for an invalid archive. `reason` is for callers; `reference`, in the words of the reference engine, for
 * documents.
 */
function broken(reason: string, reference = "zip: not a valid zip file"): MappingError {
  return new MappingError(reference, `failed to unarchive zip: ${reason}`);
}
