import { defineScanner, type ScannerDescriptor } from "../component.ts";
import schema from "./xml-documents.schema.json" with { type: "json" };

/** The scanner `xml_documents`. */
export const xmlDocumentsScanner: ScannerDescriptor = defineScanner({
  name: "xml_documents",
  schema,
  runtime: { module: "runtime/scanners/xml-documents.ts", symbol: "xmlDocumentsScanner" },
});
