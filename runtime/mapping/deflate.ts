// The compression formats that Node supports. Decompression fails beyond `limit` bytes.

import {
  constants,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import { MappingError } from "../errors.ts";
import { hasTooManyFrames } from "../message/zstd-frames.ts";
import { guarded, tooLarge } from "./size-limits.ts";

/** Level -1 is the default. Level -2 does not search for repetitions. */
export function packGzip(bytes: Uint8Array, level: number): Uint8Array {
  return gzipSync(bytes, atLevel("gzip", level));
}

/** Compresses to deflate with the header and checksum of zlib. */
export function packZlib(bytes: Uint8Array, level: number): Uint8Array {
  return deflateSync(bytes, atLevel("zlib", level));
}

/** Compresses to raw deflate (RFC 1951), without a header. */
export function packFlate(bytes: Uint8Array, level: number): Uint8Array {
  return deflateRawSync(bytes, atLevel("flate", level));
}

function atLevel(format: "gzip" | "zlib" | "flate", level: number): ZlibOptions {
  if (level === -2) return { strategy: constants.Z_HUFFMAN_ONLY };
  if (level >= -1 && level <= 9) return { level };
  const given = format === "flate" ? ` ${level}: want value in range [-2, 9]` : `: ${level}`;
  throw new MappingError(`${format}: invalid compression level${given}`);
}

/** Ignores the level: zstd has levels of its own. */
export function packZstd(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes);
}

/** Decompresses all concatenated members. */
export function unpackGzip(bytes: Uint8Array, limit: number): Uint8Array {
  return bounded("gzip", limit, () => {
    // With the messages of the reference engine. Input shorter than a header ends too early.
    if (bytes.length < 10) throw bytes.length === 0 ? new MappingError("EOF") : endsEarly();
    if (!startsAsGzip(bytes)) throw new Error("invalid header");
    return gunzipSync(bytes, { maxOutputLength: limit });
  });
}

/** Whether the first bytes are a gzip header (RFC 1952) with deflate as the method. */
function startsAsGzip([first, second, method]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b && method === 8;
}

/** Whether the first bytes are a zlib header (RFC 1950) with deflate, a valid window size and no dictionary. */
function startsAsZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && method >> 4 <= 7 && ((method << 8) | flags) % 31 === 0;
}

const endsEarly = () => new MappingError("unexpected EOF");

export function unpackZlib(bytes: Uint8Array, limit: number): Uint8Array {
  return bounded("zlib", limit, () => {
    if (bytes.length < 2) throw endsEarly();
    if (!startsAsZlib(bytes)) throw new Error("invalid header");
    return inflateSync(bytes, { maxOutputLength: limit });
  });
}

export function unpackFlate(bytes: Uint8Array, limit: number): Uint8Array {
  return bounded("flate", limit, () => {
    const fault = faultOfFlate(bytes);
    if (fault !== undefined) throw new Error(`corrupt input before offset ${fault}`);
    return inflateRawSync(bytes, { maxOutputLength: limit });
  });
}

/**
 * Returns the offset at which the first block is invalid: after an unknown block type, or after lengths that do not
 * match.
 */
function faultOfFlate(bytes: Uint8Array): 1 | 5 | undefined {
  const [head = 0, length = 0, longer = 0, inverse, inverseLonger] = bytes;
  const type = (head >> 1) & 3;
  if (type === 3) return 1;
  if (type !== 0 || bytes.length < 5) return undefined;
  return inverse === 255 - length && inverseLonger === 255 - longer ? undefined : 5;
}

/** Decompresses all concatenated frames. */
export function unpackZstd(bytes: Uint8Array, limit: number): Uint8Array {
  return bounded("zstd", limit, () => {
    const contents: Buffer[] = [];
    let size = 0;
    let rest = bytes;
    while (rest.length > 0) {
      if (rest.length < 4) throw endsEarly();
      if (!startsAsZstd(rest)) throw new MappingError("invalid input: magic number mismatch");
      const frame = unpackFrame(rest, limit - size);
      contents.push(frame.buffer);
      size += frame.buffer.length;
      if (size > limit) throw tooLarge(limit);
      rest = rest.subarray(frame.engine.bytesWritten);
      if (hasTooManyFrames(contents.length, bytes.length)) throw new Error("too many frames");
    }
    return contents.length === 1 ? (contents[0] ?? bytes) : Buffer.concat(contents, size);
  });
}

/** Decompresses one frame. Returns its content, and a decoder that counts the bytes of the frame. */
function unpackFrame(bytes: Uint8Array, limit: number) {
  const unpacked: unknown = zstdDecompressSync(bytes, { maxOutputLength: Math.max(limit, 1), info: true });
  // Node's types lack the result of the `info` option.
  return unpacked as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
}

/** Whether the first bytes are the magic number of a frame or of a skippable frame. */
function startsAsZstd(bytes: Uint8Array): boolean {
  const [first = 0, second, third, fourth] = bytes;
  if (first === 0x28) return second === 0xb5 && third === 0x2f && fourth === 0xfd;
  return first >> 4 === 5 && second === 0x2a && third === 0x4d && fourth === 0x18;
}

function bounded(name: string, limit: number, run: () => Uint8Array): Uint8Array {
  return guarded(name, () => {
    try {
      return run();
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
        throw tooLarge(limit);
      if (error instanceof Error && error.message === "unexpected end of file") throw endsEarly();
      throw error;
    }
  });
}
