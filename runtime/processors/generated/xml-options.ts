// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Converts XML messages to JSON: attributes are fields with a leading `-`, text next to them is `#text`, repeated elements are arrays.
 */
export interface XmlOptions {
  /**
   * Operation: `to_json` reads XML.
   */
  readonly operator: "to_json";
  /**
   * Converts texts that are numbers or booleans to these types.
   */
  readonly cast?: boolean;
}

/** What the fields hold that a document leaves out. */
export const xmlDefaults = {
  cast: false
} as const satisfies Partial<XmlOptions>;
