// Contents joined without changes: `concatenate` and `lines`.

import type { Processor } from "../../component/component.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { archiving } from "./packing.ts";
import { unarchiving } from "./unpacking.ts";

const lineBreak = 0x0a;

/** Joins the contents with nothing between them. */
export function archiveConcatenated(options: ArchiveOptions): Processor {
  return archiving(options, (batch, first) =>
    first.withBytes(Buffer.concat(batch.map((message) => message.bytes()))),
  );
}

/** Joins the contents with a line break between them. */
export function archiveLines(options: ArchiveOptions): Processor {
  return archiving(options, (batch, first) => {
    const parts = batch.flatMap((message, index) =>
      index === 0 ? [message.bytes()] : [Uint8Array.of(lineBreak), message.bytes()],
    );
    return first.withBytes(Buffer.concat(parts));
  });
}

/** Makes a message of each line. Content that ends with a line break has an empty last line. */
export function unarchiveLines(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) => {
    const bytes = message.bytes();
    const lines: (typeof message)[] = [];
    for (let start = 0; start <= bytes.length; ) {
      const found = bytes.indexOf(lineBreak, start);
      const end = found < 0 ? bytes.length : found;
      room.take(end - start);
      lines.push(message.withBytes(bytes.subarray(start, end)));
      start = end + 1;
    }
    return lines;
  });
}
