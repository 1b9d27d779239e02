// `tar`: POSIX archives (POSIX.1-2001, pax, "ustar Interchange Format").

import type { Processor } from "../../component/component.ts";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { archiving } from "./packing.ts";
import {
  blockSize,
  broken,
  notSupported,
  padded,
  readHeader,
  type TarHeader,
  untilZero,
  writeHeader,
} from "./tar-header.ts";
import { named, type UnpackBudget, unarchiving } from "./unpacking.ts";

/** The longest name in a header. Longer names, and names beyond ASCII, precede it in an extra header. */
const longestName = 100;

/** Writes each message as a regular file named by its `path`. */
export function archiveTar(options: ArchiveOptions): Processor {
  return archiving(options, (batch, first, pathOf) => {
    const modified = Math.floor(Date.now() / 1000);
    const parts = batch.flatMap((message, index) => {
      const path = pathOf(index);
      const content = message.bytes();
      return [
        ...extendedHeader(path, modified),
        writeHeader({ name: encodeUtf8(path), type: "0", size: content.length, modified }),
        padded(content),
      ];
    });
    return first.withBytes(Buffer.concat([...parts, new Uint8Array(2 * blockSize)]));
  });
}

/** Makes a message of each entry. The metadata `archive_filename` is its name. */
export function unarchiveTar(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) =>
    readTar(message.bytes(), room).map(({ name, content }) =>
      named(message.withBytes(content), "archive_filename", decodeUtf8(name)),
    ),
  );
}

function extendedHeader(path: string, modified: number): readonly Uint8Array[] {
  const name = encodeUtf8(path);
  if (name.length <= longestName && name.every((byte) => byte < 0x80)) return [];
  const record = paxRecord("path", name);
  return [
    writeHeader({ name: encodeUtf8("path"), type: "x", size: record.length, modified }),
    padded(record),
  ];
}

/** Returns `LENGTH KEY=VALUE` and a line break. The length includes itself. */
function paxRecord(key: string, value: Uint8Array): Uint8Array {
  const rest = key.length + value.length + 3;
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length++;
  return Buffer.concat([encodeUtf8(`${length} ${key}=`), value, encodeUtf8("\n")]);
}

// Reads tar archives: POSIX (ustar and pax) and GNU.

/** An entry of an archive. Folders, links and similar entries have no content. */
interface TarEntry {
  readonly name: Uint8Array;
  readonly content: Uint8Array;
}

/** Properties of the next entry from extra headers. */
interface Further {
  readonly name?: Uint8Array;
  readonly size?: number;
}

/** Returns all entries in order. Throws if the archive is invalid, truncated, or exceeds the budget. */
export function readTar(bytes: Uint8Array, room: UnpackBudget): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  let further: Further = {};
  for (let at = 0; at < bytes.length; ) {
    const block = bytes.subarray(at, at + blockSize);
    if (block.length < blockSize) throw cutShort();
    // Blocks of zeros mark the end. Some writers omit them.
    if (block.every((byte) => byte === 0)) break;
    const header = readHeader(block);
    const size = sizeOf(header, further);
    const content = bytes.subarray(at + blockSize, at + blockSize + size);
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
    if (at > bytes.length) throw cutShort();
    if (isAbout(header)) {
      further = { ...further, ...readFurther(header, content) };
      continue;
    }
    if (header.type === "S" || header.type === "V" || header.type === "M") {
      throw notSupported("a sparse file or a part of a larger archive");
    }
    room.take(content.length);
    entries.push({ name: further.name ?? header.name, content });
    further = {};
  }
  return entries;
}

/** Whether an entry only describes the next one. */
function isAbout({ type }: TarHeader): boolean {
  return type === "x" || type === "g" || type === "L" || type === "K";
}

/** Returns the size of an entry's content. Links may state the size of their target, but have no content. */
function sizeOf(header: TarHeader, further: Further): number {
  const isFile = ["0", "\0", "7", "x", "g", "L", "K", "S", "V", "M"].includes(header.type);
  if (!isFile) return 0;
  return isAbout(header) ? header.size : (further.size ?? header.size);
}

function readFurther({ type }: TarHeader, content: Uint8Array): Further {
  if (type === "L") return { name: untilZero(content) };
  return type === "x" ? readPax(content) : {};
}

/** Reads records of `LENGTH KEY=VALUE` and a line break. */
function readPax(content: Uint8Array): Further {
  let further: Further = {};
  for (let at = 0; at < content.length; ) {
    const [digits = ""] = /^\d{1,9}(?= )/.exec(decodeUtf8(content.subarray(at, at + 10))) ?? [];
    const length = Number(digits);
    const record = content.subarray(at + digits.length + 1, at + length - 1);
    const equals = record.indexOf(0x3d);
    if (length < digits.length + 3 || at + length > content.length || equals < 0) {
      throw broken("a record of extended attributes is invalid");
    }
    const value = record.subarray(equals + 1);
    const key = decodeUtf8(record.subarray(0, equals));
    if (key === "path") further = { ...further, name: value };
    if (key === "size") further = { ...further, size: readSize(value) };
    if (key.startsWith("GNU.sparse.")) throw notSupported("a sparse file");
    at += length;
  }
  return further;
}

function readSize(value: Uint8Array): number {
  const text = decodeUtf8(value);
  if (!/^\d{1,15}$/.test(text)) throw broken("a size is invalid");
  return Number(text);
}

function cutShort() {
  return broken("it ends too early", "unexpected EOF");
}
