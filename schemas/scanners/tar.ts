import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./tar.schema.json" with { type: "json" };

/** The scanner `tar`. */
export const tarScanner: ScannerDescriptor = defineScanner({
  name: "tar",
  schema,
  runtime: { module: "runtime/scanners/tar.ts", symbol: "tarScanner" },
});
