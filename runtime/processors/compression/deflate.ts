// The compression algorithms that Node supports.

import type { Processor } from "../../component/component.ts";
import {
  packFlate,
  packGzip,
  packZlib,
  packZstd,
  unpackFlate,
  unpackGzip,
  unpackZlib,
  unpackZstd,
} from "../../mapping/deflate.ts";
import type { CompressOptions } from "../generated/compress-options.ts";
import type { DecompressOptions } from "../generated/decompress-options.ts";
import { compressing, decompressing } from "./codec.ts";

/** Compresses with `gzip` and `pgzip`. */
export function compressGzip(options: CompressOptions): Processor {
  return compressing(options, packGzip);
}

/** Decompresses `gzip` and `pgzip`. */
export function decompressGzip(options: DecompressOptions): Processor {
  return decompressing(options, unpackGzip);
}

/** Compresses with `zlib`. */
export function compressZlib(options: CompressOptions): Processor {
  return compressing(options, packZlib);
}

/** Decompresses `zlib`. */
export function decompressZlib(options: DecompressOptions): Processor {
  return decompressing(options, unpackZlib);
}

/** Compresses with `flate`. */
export function compressFlate(options: CompressOptions): Processor {
  return compressing(options, packFlate);
}

/** Decompresses `flate`. */
export function decompressFlate(options: DecompressOptions): Processor {
  return decompressing(options, unpackFlate);
}

/** Compresses with `zstd`. */
export function compressZstd(options: CompressOptions): Processor {
  return compressing(options, packZstd);
}

/** Decompresses `zstd`. */
export function decompressZstd(options: DecompressOptions): Processor {
  return decompressing(options, unpackZstd);
}
