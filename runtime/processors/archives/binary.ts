// `binary`: the number of messages, then each message after its length. All numbers are 32-bit big-endian.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import type { Message } from "../../message/message.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { archiving } from "./packing.ts";
import { unarchiving } from "./unpacking.ts";

export function archiveBinary(options: ArchiveOptions): Processor {
  return archiving(options, (batch, first) => {
    const parts = batch.flatMap((message) => [word(message.bytes().length), message.bytes()]);
    return first.withBytes(Buffer.concat([word(batch.length), ...parts]));
  });
}

export function unarchiveBinary(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) => {
    const bytes = message.bytes();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    const length = (): number => {
      if (at + 4 > bytes.length) throw cutShort();
      at += 4;
      return view.getUint32(at - 4);
    };
    const messages: Message[] = [];
    for (let left = length(); left > 0; left--) {
      const size = length();
      if (at + size > bytes.length) throw cutShort();
      room.take(size);
      messages.push(message.withBytes(bytes.subarray(at, at + size)));
      at += size;
    }
    return messages;
  });
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function cutShort(): MappingError {
  return new MappingError(
    "serialised message bytes were in unexpected format",
    "failed to unarchive binary: the content ends too early",
  );
}
