// Structured logs: one JSON object a line.

import { pino } from "pino";
import { GatewayError } from "../errors.ts";

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

/** Names that `GW_LOG_LEVEL` may hold, from the most to the least talkative. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Where lines go, each with its line break. */
export type LogDestination = { write(line: string): void };

/**
 * Writes lines such as `{"level":"info","time":"2026-01-01T00:00:00.000Z","msg":"listening",…}`, by
 * default to standard output, each before the call returns, so that the last words of a process get out.
 */
export function createLogger(level: LogLevel, destination?: LogDestination): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: describeError },
  };
  return wrap(pino(options, destination ?? pino.destination({ dest: 1, sync: true })));
}

/** The level `GW_LOG_LEVEL` asks for; `undefined` for a name that is none. */
export function parseLogLevel(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text.trim().toLowerCase());
}

/** `target` writes the fields of `base` and `fields`. A name that is given again is there once, with its last value. */
function wrap(base: pino.Logger, fields: LogFields = {}, target = base): Logger {
  return {
    debug: (message, own) => target.debug(own ?? {}, message),
    info: (message, own) => target.info(own ?? {}, message),
    warn: (message, own) => target.warn(own ?? {}, message),
    error: (message, own) => target.error(own ?? {}, message),
    with: (own) => {
      const all = { ...fields, ...own };
      return wrap(base, all, base.child(all));
    },
  };
}

/**
 * What a line tells of a thrown value, or of the text of one: class, text, code and stack of it and its
 * causes. Own properties stay out: clients of brokers hang requests, headers and credentials on their errors.
 */
function describeError(error: unknown): unknown {
  if (typeof error === "string") return { message: error };
  if (!(error instanceof Error)) return { type: typeof error };
  // Of a failure on a message the log has what callers read: the other text may quote the message.
  const text = error instanceof GatewayError ? error.answer : error.message;
  return {
    type: error.name,
    message: text,
    ...("code" in error && typeof error.code === "string" && { code: error.code }),
    stack: error.stack?.replace(error.message, () => text),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
