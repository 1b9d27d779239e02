// `tar`: POSIX archives.

import type { Processor } from "../../component/component.ts";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { archiving } from "./packing.ts";
import { blockSize, padded, writeHeader } from "./tar-header.ts";
import { readTar } from "./tar-reader.ts";
import { named, unarchiving } from "./unpacking.ts";

/** Longest name that fits a header; longer ones, and other than ASCII, go before it in a header of their own. */
const longestName = 100;

/** A regular file for each message, under its `path`. */
export function archiveTar(options: ArchiveOptions): Processor {
  return archiving(options, (entries, first) => {
    const modified = Math.floor(Date.now() / 1000);
    const parts = entries.flatMap(({ message, path }) => {
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

/** Each entry is a message, its name among the metadata as `archive_filename`. */
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

/** `LENGTH KEY=VALUE` and a line break; the length counts itself. */
function paxRecord(key: string, value: Uint8Array): Uint8Array {
  const rest = key.length + value.length + 3;
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length++;
  return Buffer.concat([encodeUtf8(`${length} ${key}=`), value, encodeUtf8("\n")]);
}
