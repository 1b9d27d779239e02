import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./re-match.schema.json" with { type: "json" };

/** The scanner `re_match`. */
export const reMatchScanner: ScannerDescriptor = defineScanner({
  name: "re_match",
  schema,
  runtime: { module: "runtime/scanners/re-match.ts", symbol: "reMatchScanner" },
});
