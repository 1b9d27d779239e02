// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Turns messages of Avro into JSON, or JSON into Avro.
 */
export interface AvroOptions {
  /**
   * `to_json` reads Avro, `from_json` writes it.
   */
  readonly operator: "to_json" | "from_json";
  /**
   * How values are written: `textual` as JSON of Avro, `binary`, or `single` with a fingerprint of the schema before the binary value.
   */
  readonly encoding?: "textual" | "binary" | "single";
  /**
   * The schema, as JSON. It defines all types that it names.
   */
  readonly schema?: string;
  /**
   * File with the schema, relative to the document; it is read when the gateway is built.
   */
  readonly schema_path?: string;
}

/** What the fields hold that a document leaves out. */
export const avroDefaults = {
  encoding: "textual"
} as const satisfies Partial<AvroOptions>;
