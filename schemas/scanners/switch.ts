import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./switch.schema.json" with { type: "json" };

/** The scanner `switch`. */
export const switchScanner: ScannerDescriptor = defineScanner({
  name: "switch",
  schema,
  runtime: { module: "runtime/scanners/switch.ts", symbol: "switchScanner" },
});
