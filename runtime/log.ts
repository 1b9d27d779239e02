// Structured logs: one JSON object a line.

/** Values of a log line beside its message. Never message content, credentials or whole errors of others. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log as components see it. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}
