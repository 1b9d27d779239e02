import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./csv.schema.json" with { type: "json" };

/** The scanner `csv`. */
export const csvScanner: ScannerDescriptor = defineScanner({
  name: "csv",
  schema,
  runtime: { module: "runtime/scanners/csv.ts", symbol: "csvScanner" },
});
