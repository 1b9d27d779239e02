// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Replaces each message, a line of a log, by an object of what it says. A message that is no such line is flagged.
 */
export interface ParseLogOptions {
  /**
   * What the lines are: `syslog_rfc5424`, or `syslog_rfc3164` as BSD writes them.
   */
  readonly format: "syslog_rfc5424" | "syslog_rfc3164";
  /**
   * Leave out a message with control characters, instead of flagging the line (`syslog_rfc3164`).
   */
  readonly best_effort?: boolean;
  /**
   * Take times of RFC 3339 as well (`syslog_rfc3164`).
   */
  readonly allow_rfc3339?: boolean;
  /**
   * The year of times, which lines of `syslog_rfc3164` lack: `current`, a number, or empty for the year 0.
   */
  readonly default_year?: string;
  /**
   * The zone in which times of `syslog_rfc3164` are written, by its IANA name. They are read as UTC.
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
