import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./compress.schema.json" with { type: "json" };

/** The processor `compress`. */
export const compressProcessor: ProcessorDescriptor = defineProcessor({
  name: "compress",
  schema,
  ...oneOf("algorithm", [
    ["flate", "runtime/processors/compression/deflate.ts", "compressFlate"],
    ["gzip", "runtime/processors/compression/deflate.ts", "compressGzip"],
    ["lz4", "runtime/processors/compression/lz4.ts", "compressLz4"],
    ["pgzip", "runtime/processors/compression/deflate.ts", "compressGzip"],
    ["snappy", "runtime/processors/compression/snappy.ts", "compressSnappy"],
    ["zlib", "runtime/processors/compression/deflate.ts", "compressZlib"],
    ["zstd", "runtime/processors/compression/deflate.ts", "compressZstd"],
  ]),
  flow: { kind: "message", effect: { content: "bytes" } },
  mayFail: "the message may not be compressible",
});
