// bzip2, for decompression only.

import type { Processor } from "../../component/component.ts";
import { unpackBzip2 } from "../../mapping/bzip2.ts";
import type { DecompressOptions } from "../generated/decompress-options.ts";
import { decompressing } from "./codec.ts";

/** Decompresses `bzip2`. */
export function decompressBzip2(options: DecompressOptions): Processor {
  return decompressing(options, unpackBzip2);
}
