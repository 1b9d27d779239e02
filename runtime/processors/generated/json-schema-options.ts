// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Holds the document of each message against a JSON Schema (drafts 4, 6 and 7); one that does not fit is flagged, with what is wrong with it.
 */
export interface JsonSchemaOptions {
  /**
   * The schema, as JSON. It may refer to parts of itself.
   */
  readonly schema?: string;
  /**
   * File with the schema, relative to the document; it is read when the gateway is built.
   */
  readonly schema_path?: string;
}
