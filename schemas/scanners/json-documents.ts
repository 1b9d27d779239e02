import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./json-documents.schema.json" with { type: "json" };

/** The scanner `json_documents`. */
export const jsonDocumentsScanner: ScannerDescriptor = defineScanner({
  name: "json_documents",
  schema,
  runtime: { module: "runtime/scanners/json-documents.ts", symbol: "jsonDocumentsScanner" },
});
