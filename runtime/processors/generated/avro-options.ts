// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Converts Avro messages to JSON, or JSON to Avro.
 */
export interface AvroOptions {
  /**
   * `to_json` reads Avro, `from_json` writes it.
   */
  readonly operator: "to_json" | "from_json";
  /**
   * Encoding of values: `textual` is Avro JSON, `binary` is Avro binary, `single` is binary with a fingerprint of the schema before the value.
   */
  readonly encoding?: "textual" | "binary" | "single";
  /**
   * Avro schema, as JSON. It must define all types that it refers to.
   */
  readonly schema?: string;
  /**
   * File with the schema, relative to the document. It is read when the gateway is built.
   */
  readonly schema_path?: string;
}

/** What the fields hold that a document leaves out. */
export const avroDefaults = {
  encoding: "textual"
} as const satisfies Partial<AvroOptions>;
