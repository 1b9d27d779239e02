// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates a message from each row of delimited values, with the row number as the metadata `csv_row`.
 */
export interface CsvScannerOptions {
  /**
   * Field separator instead of a comma.
   */
  readonly custom_delimiter?: string;
  /**
   * Whether the first row contains the field names. If so, rows become objects; otherwise they become arrays.
   */
  readonly parse_header_row?: boolean;
  /**
   * Allows quotes inside fields without doubling them.
   */
  readonly lazy_quotes?: boolean;
  /**
   * Whether a row that cannot be parsed becomes an empty message that counts as failed. Otherwise the source is given up.
   */
  readonly continue_on_error?: boolean;
  /**
   * Names that the first row must contain.
   */
  readonly expected_headers?: readonly string[];
  /**
   * Number of fields of each row; 0 for the number in the first row, -1 for any number.
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
