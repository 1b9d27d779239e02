// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Turns messages of XML into JSON: attributes are fields with a leading `-`, text beside them is `#text`, repeated elements are arrays.
 */
export interface XmlOptions {
  /**
   * What to do: `to_json` reads XML.
   */
  readonly operator: "to_json";
  /**
   * Read texts that are numbers or booleans as such.
   */
  readonly cast?: boolean;
}

/** What the fields hold that a document leaves out. */
export const xmlDefaults = {
  cast: false
} as const satisfies Partial<XmlOptions>;
