// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Runs an AWK program on each message. The message is replaced by what the program prints. If it prints nothing, the message keeps its content, or the document that functions such as `json_set` changed. The functions `json_get`, `json_set`, `json_set_int`, `json_set_float`, `json_set_bool`, `json_append`, `json_append_int`, `json_append_float`, `json_append_bool`, `json_delete`, `json_length` and `json_type` use the document by a path with dots, `metadata_get` and `metadata_set` the metadata, `timestamp_unix`, `timestamp_unix_nano`, `timestamp_format` and `timestamp_format_nano` convert times, `create_json_object`, `create_json_array`, `base64_encode` and `base64_decode` encode texts, and `print_log` writes to the log.
 */
export interface AwkOptions {
  /**
   * What the program gets as its input. `none`: an empty record. `text`: the records of the message, and its metadata as variables. `json`: an empty record, and each scalar of the document as a variable with the names on the way to it (`foo_bar` for `{"foo":{"bar":1}}`), and the metadata. Characters other than letters, digits and underscores become underscores in the names of variables.
   */
  readonly codec: "none" | "text" | "json";
  /**
   * AWK program. It is checked when the gateway is built.
   */
  readonly program: string;
  /**
   * Maximum number of steps of the program per message. A message that exceeds it is flagged as failed. Calls of functions, loop iterations, records and elements of arrays are steps.
   */
  readonly max_steps?: number;
}

/** What the fields hold that a document leaves out. */
export const awkDefaults = {
  max_steps: 5000000
} as const satisfies Partial<AwkOptions>;
