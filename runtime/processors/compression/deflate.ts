// The algorithms that Node brings.

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

/** Packs by `gzip` and `pgzip`. */
export function compressGzip(options: CompressOptions): Processor {
  return compressing(options, packGzip);
}

/** Unpacks `gzip` and `pgzip`. */
export function decompressGzip(options: DecompressOptions): Processor {
  return decompressing(options, unpackGzip);
}

/** Packs by `zlib`. */
export function compressZlib(options: CompressOptions): Processor {
  return compressing(options, packZlib);
}

/** Unpacks `zlib`. */
export function decompressZlib(options: DecompressOptions): Processor {
  return decompressing(options, unpackZlib);
}

/** Packs by `flate`. */
export function compressFlate(options: CompressOptions): Processor {
  return compressing(options, packFlate);
}

/** Unpacks `flate`. */
export function decompressFlate(options: DecompressOptions): Processor {
  return decompressing(options, unpackFlate);
}

/** Packs by `zstd`. */
export function compressZstd(options: CompressOptions): Processor {
  return compressing(options, packZstd);
}

/** Unpacks `zstd`. */
export function decompressZstd(options: DecompressOptions): Processor {
  return decompressing(options, unpackZstd);
}
