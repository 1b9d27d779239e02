// bzip2, which is only ever read.

import bzip2 from "seek-bzip";
import { guarded, tooLarge } from "./unpacking.ts";

const several = true;

/** The content of all streams that follow each other, up to `limit` bytes. */
export function unpackBzip2(bytes: Uint8Array, limit: number): Uint8Array {
  let content = new Uint8Array(Math.min(limit, Math.max(bytes.length * 4, 1024)));
  let length = 0;
  const output = {
    writeByte(byte: number) {
      if (length === content.length) {
        if (length >= limit) throw tooLarge(limit);
        const larger = new Uint8Array(Math.min(limit, length * 2));
        larger.set(content);
        content = larger;
      }
      content[length++] = byte;
    },
  };
  guarded("bzip2", () => bzip2.decode(Buffer.from(bytes), output, several));
  return content.subarray(0, length);
}
