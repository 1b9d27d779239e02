import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./to-the-end.schema.json" with { type: "json" };

/** The scanner `to_the_end`. */
export const toTheEndScanner: ScannerDescriptor = defineScanner({
  name: "to_the_end",
  schema,
  runtime: { module: "runtime/scanners/to-the-end.ts", symbol: "toTheEndScanner" },
});
