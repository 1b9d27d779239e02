import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./skip-bom.schema.json" with { type: "json" };

/** The scanner `skip_bom`. */
export const skipBomScanner: ScannerDescriptor = defineScanner({
  name: "skip_bom",
  schema,
  runtime: { module: "runtime/scanners/skip-bom.ts", symbol: "skipBomScanner" },
});
