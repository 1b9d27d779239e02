// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Validates the document of each message against a JSON Schema (drafts 4, 6 and 7). An invalid message is flagged as failed, with the validation errors.
 */
export interface JsonSchemaOptions {
  /**
   * JSON Schema, as JSON. It may refer to its own parts.
   */
  readonly schema?: string;
  /**
   * File with the schema, relative to the document. It is read when the gateway is built.
   */
  readonly schema_path?: string;
}
