import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./avro.schema.json" with { type: "json" };

/** The scanner `avro`. */
export const avroScanner: ScannerDescriptor = defineScanner({
  name: "avro",
  schema,
  runtime: { module: "runtime/scanners/avro.ts", symbol: "avroScanner" },
});
