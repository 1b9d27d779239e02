// Structured logs: one JSON object a line.

import { writeSync } from "node:fs";
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
 * Writes lines such as `{"level":"info","time":"2026-01-01T00:00:00.000Z",…,"msg":"listening"}`, by
 * default to standard output, each before the call returns, so that the last words of a process get out.
 */
export function createLogger(level: LogLevel, destination: LogDestination = standardOutput()): Logger {
  return loggerOf(logLevels.indexOf(level), destination, {});
}

/** The level `GW_LOG_LEVEL` asks for; `undefined` for a name that is not one. */
export function parseLogLevel(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text.trim().toLowerCase());
}

/** Writes lines of the levels from `least` on, with `base` in each. A name that is given again is there once, with its last value. */
function loggerOf(least: number, destination: LogDestination, base: LogFields): Logger {
  const writer = (level: LogLevel) => {
    if (logLevels.indexOf(level) < least) return () => undefined;
    return (message: string, fields?: LogFields) => {
      const line: Record<string, unknown> = { level, time: new Date().toISOString(), ...base, ...fields };
      if (line.error !== undefined) line.error = describeError(line.error);
      line.msg = message;
      destination.write(`${printLine(line)}\n`);
    };
  };
  return {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
    with: (fields) => loggerOf(least, destination, { ...base, ...fields }),
  };
}

function printLine(line: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(line);
  } catch {
    // A value that JSON has no text for costs its field alone.
    return JSON.stringify(
      Object.fromEntries(Object.entries(line).map(([name, value]) => [name, toPrintable(value)])),
    );
  }
}

function toPrintable(value: unknown): unknown {
  try {
    const text = JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? String(inner) : inner));
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return "(cannot be written as JSON)";
  }
}

/** Milliseconds between two attempts to write to a pipe that is full. */
const fullPipePause = 10;

/**
 * Blocks while the pipe is full. A line that cannot be written, as on a full disk, is lost: the gateway runs on without its
 * log. After EPIPE, nothing is written.
 */
function standardOutput(): LogDestination {
  let isClosed = false;
  return {
    write(line) {
      let left = Buffer.from(line);
      while (left.length > 0 && !isClosed) {
        try {
          left = left.subarray(writeSync(1, left));
        } catch (error) {
          const code = error instanceof Error && "code" in error ? error.code : undefined;
          if (code === "EPIPE") isClosed = true;
          else if (code !== "EAGAIN") return;
          else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPipePause);
        }
      }
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
