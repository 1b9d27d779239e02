// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Parses each message as a log line and replaces it with an object of its values. A message that is not such a line is flagged as failed.
 */
export interface ParseLogOptions {
  /**
   * Format of the lines: `syslog_rfc5424`, or `syslog_rfc3164` (BSD syslog).
   */
  readonly format: "syslog_rfc5424" | "syslog_rfc3164";
  /**
   * Keeps the fields before a fault, instead of flagging the line as failed (`syslog_rfc3164`). This applies to timestamps of RFC 3339 that are invalid before their offset, timestamps that no space follows, and messages that contain control characters. Other faults always flag the line.
   */
  readonly best_effort?: boolean;
  /**
   * Accepts RFC 3339 timestamps as well (`syslog_rfc3164`).
   */
  readonly allow_rfc3339?: boolean;
  /**
   * Year of timestamps, which lines of `syslog_rfc3164` do not contain: `current`, a number, or empty for the year 0.
   */
  readonly default_year?: string;
  /**
   * IANA time zone in which the timestamps of `syslog_rfc3164` are written. They are read as UTC.
   */
  readonly default_timezone?: string;
}

/** What the fields hold that a document leaves out. */
export const parseLogDefaults = {
  best_effort: true,
  allow_rfc3339: true,
  default_year: "current",
  default_timezone: "UTC"
} as const satisfies Partial<ParseLogOptions>;
