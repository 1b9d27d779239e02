// `zip`

import { crc32, deflateRawSync } from "node:zlib";
import type { Processor } from "../../component/component.ts";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { archiving } from "./packing.ts";
import { named, unarchiving } from "./unpacking.ts";
import { readZip } from "./zip-reader.ts";

/** Of the format: what a reader has to know to read such an entry. */
const version = 20;
/** Names are UTF-8. */
const flags = 0x0800;
const deflated = 8;

/** A deflated file for each message, under its `path`. */
export function archiveZip(options: ArchiveOptions): Processor {
  return archiving(options, (entries, first) => {
    const [time, date] = dosTime(new Date());
    const locals: Uint8Array[] = [];
    const directory: Uint8Array[] = [];
    let offset = 0;
    for (const { message, path } of entries) {
      const content = message.bytes();
      const name = encodeUtf8(path);
      const packed = deflateRawSync(content);
      // Both headers of an entry have this in common.
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
    const end = numbers(
      [4, 0x06054b50],
      [2, 0, 0, entries.length, entries.length],
      [4, index.length, offset],
      [2, 0],
    );
    return first.withBytes(Buffer.concat([...locals, index, end]));
  });
}

/** Each entry is a message, its name among the metadata as `archive_filename`. */
export function unarchiveZip(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) =>
    readZip(message.bytes(), room).map(({ name, content }) =>
      named(message.withBytes(content), "archive_filename", decodeUtf8(name)),
    ),
  );
}

/** Runs of numbers, each led by how many bytes its numbers take; the lowest byte comes first. */
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

/** Time in steps of two seconds, and the date from 1980 on. */
function dosTime(now: Date): readonly [number, number] {
  const time = (now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1);
  const date = ((now.getUTCFullYear() - 1980) << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate();
  return [time, date];
}
