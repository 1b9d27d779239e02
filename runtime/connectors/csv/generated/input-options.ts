// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads the records of CSV files, each as a message, then ends. For development.
 */
export interface CsvInputOptions {
  /**
   * Files to read, one after the other; `*` matches parts of names.
   */
  readonly paths: readonly string[];
  /**
   * Whether the first record of each file names the fields, so that messages are objects; otherwise they are arrays.
   */
  readonly parse_header_row?: boolean;
  /**
   * Character between fields.
   */
  readonly delimiter?: string;
  /**
   * Whether quotes may appear in fields where they do not delimit the value.
   */
  readonly lazy_quotes?: boolean;
  /**
   * Whether a file is deleted after it is read.
   */
  readonly delete_on_finish?: boolean;
  /**
   * Number of records in a batch.
   */
  readonly batch_count?: number;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
  /**
   * Names of the fields that each file must have, in this order.
   */
  readonly expected_headers?: readonly string[];
  /**
   * Number of fields that each record must have; 0 means as many as the first record has.
   */
  readonly expected_number_of_fields?: number;
}

/** What the fields hold that a document leaves out. */
export const csvInputDefaults = {
  parse_header_row: true,
  delimiter: ",",
  lazy_quotes: false,
  delete_on_finish: false,
  batch_count: 1,
  auto_replay_nacks: true,
  expected_number_of_fields: 0
} as const satisfies Partial<CsvInputOptions>;
