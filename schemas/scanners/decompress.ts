import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./decompress.schema.json" with { type: "json" };

/** The scanner `decompress`. */
export const decompressScanner: ScannerDescriptor = defineScanner({
  name: "decompress",
  schema,
  runtime: { module: "runtime/scanners/decompress.ts", symbol: "decompressScanner" },
});
