import { defineScanner, oneOf, type ScannerDescriptor } from "../component.ts";
import schema from "./decompress.schema.json" with { type: "json" };

/** The scanner `decompress`. */
export const decompressScanner: ScannerDescriptor = defineScanner({
  name: "decompress",
  schema,
  ...oneOf("algorithm", [
    ["gzip", "runtime/scanners/decompress.ts", "decompressScanner"],
    ["snappy", "runtime/scanners/decompress-snappy.ts", "decompressSnappyScanner"],
  ]),
});
