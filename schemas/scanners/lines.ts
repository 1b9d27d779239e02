import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./lines.schema.json" with { type: "json" };

/** The scanner `lines`. */
export const linesScanner: ScannerDescriptor = defineScanner({
  name: "lines",
  schema,
  runtime: { module: "runtime/scanners/lines.ts", symbol: "linesScanner" },
});
