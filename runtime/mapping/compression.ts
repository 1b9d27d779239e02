// Compression by the name of the algorithm.

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
import { guarded, mostBytes } from "./size-limits.ts";
import { packSnappy, unpackSnappy } from "./snappy.ts";

/** Compresses with each algorithm at a level. Algorithms without such levels ignore it. */
const packers: Readonly<Record<string, (bytes: Uint8Array, level: number) => Uint8Array>> = {
  gzip: packGzip,
  pgzip: packGzip,
  zlib: packZlib,
  flate: packFlate,
  zstd: packZstd,
  snappy: packSnappy,
  lz4: packLz4,
};

const unpackers: Readonly<Record<string, (bytes: Uint8Array, limit: number) => Uint8Array>> = {
  gzip: unpackGzip,
  pgzip: unpackGzip,
  zlib: unpackZlib,
  flate: unpackFlate,
  zstd: unpackZstd,
  snappy: unpackSnappy,
  bzip2: unpackBzip2,
  lz4: decompressLz4,
};

/** `.compress(algorithm, level)`: level -1 is the default of the algorithm. */
export function compress(target: Value, _from: string, algorithm: Value, level: Value): Uint8Array {
  const name = textArgument("method 'compress'", "algorithm", algorithm);
  const depth = integerArgument("method 'compress'", "level", level);
  const pack = named(packers, name);
  const bytes = pluginBytes(target);
  return guarded(name, () => pack(bytes, depth));
}

/** `.decompress(algorithm)` */
export function decompress(target: Value, _from: string, algorithm: Value): Uint8Array {
  const unpack = named(unpackers, textArgument("method 'decompress'", "algorithm", algorithm));
  return unpack(pluginBytes(target), mostBytes);
}

function named<Run>(algorithms: Readonly<Record<string, Run>>, name: string): Run {
  const known = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
  if (known === undefined) throw new MappingError(`compression type not recognised: ${name}`);
  return known;
}

/** The output is readable at every level, so the level is only checked and has no other effect. */
function packLz4(bytes: Uint8Array, level: number): Uint8Array {
  if (level > 9) throw new MappingError(`lz4: invalid compression level: ${2 ** (8 + level)}`);
  return compressLz4(bytes);
}
