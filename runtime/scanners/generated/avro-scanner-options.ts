// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes a message of each value of an Avro object container file, by the schema in the file.
 */
export interface AvroScannerOptions {
  /**
   * Whether values of unions are written as they are, without the name of their type.
   */
  readonly raw_json?: boolean;
}

/** What the fields hold that a document leaves out. */
export const avroScannerDefaults = {
  raw_json: false
} as const satisfies Partial<AvroScannerOptions>;
