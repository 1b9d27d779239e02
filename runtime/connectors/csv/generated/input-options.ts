// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads the records of CSV files, each as a message, then ends. For development.
 */
export interface CsvInputOptions {
  /**
   * Files to read, one after the other; `*` stands for parts of names.
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
   * Whether quotes may stand where they are no quotes.
   */
  readonly lazy_quotes?: boolean;
  /**
   * Whether a file is deleted once it is read.
   */
  readonly delete_on_finish?: boolean;
  /**
   * Records of one batch.
   */
  readonly batch_count?: number;
  /**
   * Whether a message that could not be delivered is tried again until it is; else it is given up, which is logged.
   */
  readonly auto_replay_nacks?: boolean;
  /**
   * Names of the fields that each file has to have, in this order.
   */
  readonly expected_headers?: readonly string[];
  /**
   * Fields that each record has to have; 0 for as many as the first.
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
