// The `decompress` scanner: decompresses the source for another scanner.

import { type Duplex, pipeline, Readable } from "node:stream";
import { createGunzip, createInflate, createInflateRaw, createZstdDecompress } from "node:zlib";
import type { ScannedSource, Scanner } from "../component/scanner.ts";
import { unpackZstdFrames } from "../message/zstd-frames.ts";
import { unfitSource } from "./gathered.ts";
import type { DecompressScannerOptions } from "./generated/decompress-scanner-options.ts";
import { toTheEndScanner } from "./to-the-end.ts";

/** What Node unpacks; `decompress-snappy.ts` unpacks `snappy`. */
type Algorithm = Exclude<DecompressScannerOptions["algorithm"], "snappy">;

const streams: Readonly<Record<Algorithm, () => Duplex>> = {
  gzip: createGunzip,
  pgzip: createGunzip,
  zlib: createInflate,
  flate: createInflateRaw,
  zstd: () => unpackZstdFrames(createZstdDecompress),
};

/** Decompresses only as much as the inner scanner reads. That scanner limits how much it holds. */
export function decompressScanner({
  algorithm,
  into = toTheEndScanner(),
}: DecompressScannerOptions & { readonly algorithm: Algorithm }): Scanner {
  return { scan: (source) => into.scan({ ...source, bytes: unpacked(source, algorithm) }) };
}

async function* unpacked({ bytes }: ScannedSource, algorithm: Algorithm): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes);
  // A failure reaches the reader through the last stream.
  const unpack = pipeline(source, streams[algorithm](), () => undefined);
  try {
    for await (const chunk of unpack) yield chunk;
  } catch (error) {
    if (error instanceof Error && "code" in error && isOfDecoder(String(error.code))) {
      throw unfitSource(`The source is not compressed by ${algorithm}`, error);
    }
    throw error;
  } finally {
    source.destroy();
  }
}

function isOfDecoder(code: string): boolean {
  return code.startsWith("Z_") || code.startsWith("ZSTD_");
}
