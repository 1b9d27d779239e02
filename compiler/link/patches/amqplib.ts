// amqplib with a bound on tables within tables, and with integers of 64 bits as they are.

import type { Plugin } from "esbuild";
import { type FilePatch, sourcePatch } from "./source-patch.ts";

/** Tables and arrays of a message's headers within each other. What lies deeper is empty. */
const deepest = 100;

/** Of amqplib 2.3.1. */
const patches: readonly FilePatch[] = [
  {
    file: "lib/codec.js",
    about: "the decoder of tables",
    edits: [
      // One message with 4,000 tables within each other used up the stack: the connection ended, and the broker delivered the
      // message again to the next one.
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
      // A float64 has 53 bits.
      {
        original: "val = Number(slice.readBigInt64BE(offset));",
        replacement: `val = slice.readBigInt64BE(offset);
        if (Number.isSafeInteger(Number(val))) val = Number(val);`,
      },
    ],
  },
];

/** An esbuild plugin that patches amqplib wherever a bundle has it. */
export function amqplibPatch(): Plugin {
  return sourcePatch("amqplib", patches);
}
