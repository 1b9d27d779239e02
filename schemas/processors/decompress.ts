import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./decompress.schema.json" with { type: "json" };

/** The processor `decompress`. */
export const decompressProcessor: ProcessorDescriptor = defineProcessor({
  name: "decompress",
  schema,
  ...oneOf("algorithm", [
    ["bzip2", "runtime/processors/compression/bzip2.ts", "decompressBzip2"],
    ["flate", "runtime/processors/compression/deflate.ts", "decompressFlate"],
    ["gzip", "runtime/processors/compression/deflate.ts", "decompressGzip"],
    ["lz4", "runtime/processors/compression/lz4.ts", "decompressLz4"],
    ["pgzip", "runtime/processors/compression/deflate.ts", "decompressGzip"],
    ["snappy", "runtime/processors/compression/snappy.ts", "decompressSnappy"],
    ["zlib", "runtime/processors/compression/deflate.ts", "decompressZlib"],
    ["zstd", "runtime/processors/compression/deflate.ts", "decompressZstd"],
  ]),
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "the message may not be compressed so",
});
