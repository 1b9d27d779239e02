import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./chunker.schema.json" with { type: "json" };

/** The scanner `chunker`. */
export const chunkerScanner: ScannerDescriptor = defineScanner({
  name: "chunker",
  schema,
  runtime: { module: "runtime/scanners/chunker.ts", symbol: "chunkerScanner" },
});
