// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates a message from each value of an Avro object container file, using the schema in the file.
 */
export interface AvroScannerOptions {
  /**
   * Writes union values without the name of their type.
   */
  readonly raw_json?: boolean;
}

/** What the fields hold that a document leaves out. */
export const avroScannerDefaults = {
  raw_json: false
} as const satisfies Partial<AvroScannerOptions>;
