// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates a message from each XML document, as JSON: attributes are keys with a leading `-`, text next to them is `#text`.
 */
export interface XmlDocumentsScannerOptions {
  /**
   * Conversion of the documents.
   */
  readonly operator: "to_json";
  /**
   * Converts texts that are numbers or booleans to these types.
   */
  readonly cast?: boolean;
}

/** What the fields hold that a document leaves out. */
export const xmlDocumentsScannerDefaults = {
  cast: false
} as const satisfies Partial<XmlDocumentsScannerOptions>;
