// LZ4 frames.

import type { Processor } from "../../component/component.ts";
import { compressLz4 as pack, decompressLz4 as unpack } from "../../mapping/lz4.ts";
import type { CompressOptions } from "../generated/compress-options.ts";
import type { DecompressOptions } from "../generated/decompress-options.ts";
import { compressing, decompressing } from "./codec.ts";

/** Compresses with `lz4`. */
export function compressLz4(options: CompressOptions): Processor {
  return compressing(options, pack);
}

/** Decompresses `lz4`. */
export function decompressLz4(options: DecompressOptions): Processor {
  return decompressing(options, unpack);
}
