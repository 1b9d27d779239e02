// The part of `node:zlib` that mappings and processors use: gzip, zlib and deflate.

import {
  gzipSync as packGzip,
  deflateSync as packRaw,
  gunzipSync as unpackGzip,
  inflateSync as unpackRaw,
  unzlibSync,
  zlibSync,
} from "fflate";
import { Buffer } from "./globals.ts";

interface Packing {
  /** -1 for the default. */
  readonly level?: number;
}

interface Unpacking {
  readonly maxOutputLength?: number;
}

type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

function levelOf({ level = -1 }: Packing = {}): { level: Level } {
  return { level: (level < 0 ? 6 : level) as Level };
}

/** Throws if the output exceeds the maximum length, as Node does. */
function bounded(bytes: Uint8Array, { maxOutputLength = Number.POSITIVE_INFINITY }: Unpacking = {}): Buffer {
  if (bytes.length > maxOutputLength)
    throw Object.assign(new RangeError("the output is too large"), { code: "ERR_BUFFER_TOO_LARGE" });
  return Buffer.from(bytes);
}

export const gzipSync = (bytes: Uint8Array, options?: Packing) =>
  Buffer.from(packGzip(bytes, { ...levelOf(options), mtime: 0 }));
export const deflateSync = (bytes: Uint8Array, options?: Packing) =>
  Buffer.from(zlibSync(bytes, levelOf(options)));
export const deflateRawSync = (bytes: Uint8Array, options?: Packing) =>
  Buffer.from(packRaw(bytes, levelOf(options)));
export const gunzipSync = (bytes: Uint8Array, options?: Unpacking) => bounded(unpackGzip(bytes), options);
export const inflateSync = (bytes: Uint8Array, options?: Unpacking) => bounded(unzlibSync(bytes), options);
export const inflateRawSync = (bytes: Uint8Array, options?: Unpacking) => bounded(unpackRaw(bytes), options);
