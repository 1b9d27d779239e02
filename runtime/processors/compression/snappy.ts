// Snappy blocks.

import type { Processor } from "../../component/component.ts";
import { packSnappy, unpackSnappy } from "../../mapping/snappy.ts";
import type { CompressOptions } from "../generated/compress-options.ts";
import type { DecompressOptions } from "../generated/decompress-options.ts";
import { compressing, decompressing } from "./codec.ts";

/** Compresses with `snappy`. */
export function compressSnappy(options: CompressOptions): Processor {
  return compressing(options, packSnappy);
}

/** Decompresses `snappy`. */
export function decompressSnappy(options: DecompressOptions): Processor {
  return decompressing(options, unpackSnappy);
}
