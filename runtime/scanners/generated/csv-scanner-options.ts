// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes a message of each row of separated values, with its number as the metadata `csv_row`.
 */
export interface CsvScannerOptions {
  /**
   * The character between fields, in place of a comma.
   */
  readonly custom_delimiter?: string;
  /**
   * Whether the first row names the fields, so that rows become objects; else they become arrays.
   */
  readonly parse_header_row?: boolean;
  /**
   * Whether quotes may stand inside of fields without being doubled.
   */
  readonly lazy_quotes?: boolean;
  /**
   * Whether a row that cannot be read becomes an empty message that counts as failed; else the source is given up.
   */
  readonly continue_on_error?: boolean;
  /**
   * The names that the first row must have.
   */
  readonly expected_headers?: readonly string[];
  /**
   * Fields of each row; 0 for as many as the first row has, -1 for any number.
   */
  readonly expected_number_of_fields?: number;
}

/** What the fields hold that a document leaves out. */
export const csvScannerDefaults = {
  custom_delimiter: "",
  parse_header_row: true,
  lazy_quotes: false,
  continue_on_error: false,
  expected_number_of_fields: 0
} as const satisfies Partial<CsvScannerOptions>;
