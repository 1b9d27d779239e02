// Compression by name.

import {
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import bzip2 from "seek-bzip";
import snappy from "snappyjs";
import { MappingError } from "../errors.ts";
import type { Value } from "../value.ts";
import { integerArgument, pluginBytes, textArgument } from "./arguments.ts";
import { compressLz4, decompressLz4 } from "./lz4.ts";

/** `.compress(algorithm, level)`; -1 is the usual level of the algorithm. */
export function compress(target: Value, _from: string, algorithm: Value, level: Value): Uint8Array {
  const bytes = pluginBytes(target);
  const name = textArgument("method 'compress'", "algorithm", algorithm);
  const options = { level: integerArgument("method 'compress'", "level", level) };
  return guarded(name, () => {
    switch (name) {
      case "gzip":
      case "pgzip":
        return gzipSync(bytes, options);
      case "zlib":
        return deflateSync(bytes, options);
      case "flate":
        return deflateRawSync(bytes, options);
      case "zstd":
        return zstdCompressSync(bytes);
      case "snappy":
        return snappy.compress(bytes);
      case "lz4":
        return compressLz4(bytes);
      default:
        throw new MappingError(`compression type not recognised: ${name}`);
    }
  });
}

/** `.decompress(algorithm)` */
export function decompress(target: Value, _from: string, algorithm: Value): Uint8Array {
  const bytes = pluginBytes(target);
  const name = textArgument("method 'decompress'", "algorithm", algorithm);
  return guarded(name, () => {
    switch (name) {
      case "gzip":
      case "pgzip":
        return gunzipSync(bytes);
      case "zlib":
        return inflateSync(bytes);
      case "flate":
        return inflateRawSync(bytes);
      case "zstd":
        return zstdDecompressSync(bytes);
      case "snappy":
        return snappy.uncompress(bytes);
      case "bzip2":
        return bzip2.decode(Buffer.from(bytes));
      case "lz4":
        return decompressLz4(bytes);
      default:
        throw new MappingError(`compression type not recognised: ${name}`);
    }
  });
}

/** The result of a library; what it says of broken data is a failure of the mapping. */
function guarded(name: string, run: () => Uint8Array): Uint8Array {
  try {
    return run();
  } catch (error) {
    if (error instanceof MappingError || !(error instanceof Error)) throw error;
    throw new MappingError(`${name}: ${error.message}`);
  }
}
