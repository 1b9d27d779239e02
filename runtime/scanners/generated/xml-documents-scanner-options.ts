// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes a message of each XML document, as JSON: attributes are keys with `-` in front, text beside them is `#text`.
 */
export interface XmlDocumentsScannerOptions {
  /**
   * What is made of documents.
   */
  readonly operator: "to_json";
  /**
   * Whether texts that are numbers or booleans become such.
   */
  readonly cast?: boolean;
}

/** What the fields hold that a document leaves out. */
export const xmlDocumentsScannerDefaults = {
  cast: false
} as const satisfies Partial<XmlDocumentsScannerOptions>;
