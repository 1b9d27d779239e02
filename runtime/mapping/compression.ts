// Compression by name.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { integerArgument, pluginBytes, textArgument } from "./arguments.ts";
import { unpackBzip2 } from "./bzip2.ts";
import {
  packFlate,
  packGzip,
  packZlib,
  packZstd,
  unpackFlate,
  unpackGzip,
  unpackZlib,
  unpackZstd,
} from "./deflate.ts";
import { compressLz4, decompressLz4 } from "./lz4.ts";
import { packSnappy, unpackSnappy } from "./snappy.ts";
import { guarded, unpackedLimit } from "./unpacking.ts";

/** `.compress(algorithm, level)`; -1 is the usual level of the algorithm. */
export function compress(target: Value, _from: string, algorithm: Value, level: Value): Uint8Array {
  const bytes = pluginBytes(target);
  const name = textArgument("method 'compress'", "algorithm", algorithm);
  const packing = integerArgument("method 'compress'", "level", level);
  return guarded(name, () => {
    switch (name) {
      case "gzip":
      case "pgzip":
        return packGzip(bytes, packing);
      case "zlib":
        return packZlib(bytes, packing);
      case "flate":
        return packFlate(bytes, packing);
      case "zstd":
        return packZstd(bytes);
      case "snappy":
        return packSnappy(bytes);
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
  switch (name) {
    case "gzip":
    case "pgzip":
      return unpackGzip(bytes, unpackedLimit);
    case "zlib":
      return unpackZlib(bytes, unpackedLimit);
    case "flate":
      return unpackFlate(bytes, unpackedLimit);
    case "zstd":
      return unpackZstd(bytes, unpackedLimit);
    case "snappy":
      return unpackSnappy(bytes, unpackedLimit);
    case "bzip2":
      return unpackBzip2(bytes, unpackedLimit);
    case "lz4":
      return decompressLz4(bytes, unpackedLimit);
    default:
      throw new MappingError(`compression type not recognised: ${name}`);
  }
}
