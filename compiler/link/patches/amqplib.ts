// Patches amqplib: limits the depth of nested tables, keeps 64-bit integers exact, and reads nothing from a connection before
// the caller has it.

import type { Plugin } from "esbuild";
import { type FilePatch, sourcePatch } from "./source-patch.ts";

/** Maximum depth of tables and arrays in the headers of a message. Deeper ones are decoded as empty. */
const deepest = 100;

/** Patches for amqplib 2.3.1. */
const patches: readonly FilePatch[] = [
  {
    file: "lib/codec.js",
    about: "the decoder of tables",
    edits: [
      // One message with 4,000 nested tables exhausted the stack: the connection ended, and the broker delivered the
      // message again to the next connection.
      {
        original: "function decodeFields(slice) {",
        replacement: "function decodeFields(slice, depth = 0) {",
      },
      {
        original: "val = decodeFields(slice.subarray(offset, offset + len));",
        replacement: `val = depth < ${deepest} ? decodeFields(slice.subarray(offset, offset + len), depth + 1) : {};`,
      },
      {
        original: "        decodeArray(offset + len);",
        replacement: `        if (depth < ${deepest}) {
          depth++;
          decodeArray(offset + len);
          depth--;
        } else {
          val = [];
          offset += len;
        }`,
      },
      // A float64 has only 53 bits.
      {
        original: "val = Number(slice.readBigInt64BE(offset));",
        replacement: `val = slice.readBigInt64BE(offset);
        if (Number.isSafeInteger(Number(val))) val = Number(val);`,
      },
    ],
  },
  {
    file: "lib/connection.js",
    about: "the end of the handshake",
    edits: [
      // An error that arrived with the last frame of the handshake was emitted before the caller could add a listener, which ended
      // the process. The promise of the connection is resolved, and the caller has added listeners, before the next phase.
      {
        original: `self.acceptLoop();
      openCallback(null, ok);`,
        replacement: `openCallback(null, ok);
      setImmediate(() => self.acceptLoop());`,
      },
    ],
  },
];

/** Returns an esbuild plugin that patches amqplib in every bundle that contains it. */
export function amqplibPatch(): Plugin {
  return sourcePatch("amqplib", patches);
}
