// Structured logs: one JSON object per line.

import { writeSync } from "node:fs";
import { GatewayError, MappingError } from "../errors.ts";

/**
 * The fields of a log line in addition to its message. Never message content, credentials or complete errors of other
 * systems.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** The logger that components use. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** As `info`, for lines of which there are many: those of one turn of the event loop are written together. */
  record?(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}

/** The values of `GW_LOG_LEVEL`, from the most to the least verbose. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The destination of log lines, each with its line break. */
export type LogDestination = {
  write(line: string): void;
  /** Writes the line at the end of the turn of the event loop, or before the next line of `write`. */
  writeSoon?(line: string): void;
};

/**
 * Returns a logger that writes lines such as
 * `{"level":"info","time":"2026-01-01T00:00:00.000Z",…,"msg":"listening"}`, by default to standard output. Each line
 * is written before the call returns, so that the last lines of a process are not lost; those of `record` may be, if the
 * process is killed.
 */
export function createLogger(level: LogLevel, destination: LogDestination = standardOutput()): Logger {
  return new LineLogger(logLevels.indexOf(level), destination, {});
}

/** Returns the level that `GW_LOG_LEVEL` selects; `undefined` if it is not a valid name. */
export function parseLogLevel(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text.trim().toLowerCase());
}

/**
 * Writes lines of the levels from `least` on, with the fields of `base`. If a name is given twice, the last value is
 * used. Each stream has several loggers, so a logger is one small object, without closures.
 */
class LineLogger implements Logger {
  readonly #least: number;
  readonly #destination: LogDestination;
  readonly #base: LogFields;

  constructor(least: number, destination: LogDestination, base: LogFields) {
    this.#least = least;
    this.#destination = destination;
    this.#base = base;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  record(message: string, fields?: LogFields): void {
    this.#write("info", message, fields, true);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  with(fields: LogFields): Logger {
    return new LineLogger(this.#least, this.#destination, { ...this.#base, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined, mayWait = false): void {
    if (logLevels.indexOf(level) < this.#least) return;
    const line: Record<string, unknown> = {
      level,
      time: new Date().toISOString(),
      ...this.#base,
      ...fields,
    };
    if (line.error !== undefined) line.error = describeError(line.error);
    line.msg = message;
    const text = `${printLine(line)}\n`;
    if (mayWait && this.#destination.writeSoon !== undefined) this.#destination.writeSoon(text);
    else this.#destination.write(text);
  }
}

function printLine(line: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(line);
  } catch {
    // A value that JSON cannot represent affects only its own field.
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

/** Milliseconds between two attempts to write to a full pipe. */
const fullPipePause = 10;

/**
 * The most bytes of lines that are written together. A pipe takes as many undivided (PIPE_BUF), so that lines of
 * processes that share it stay whole.
 */
const mostTogether = 4096;

/**
 * Blocks while the pipe is full. A line that cannot be written, for example because the disk is full, is lost: the
 * gateway continues without its log. After EPIPE, nothing is written.
 */
function standardOutput(): LogDestination {
  let isClosed = false;
  let waiting = "";
  let waitingBytes = 0;
  let flushesAtExit = false;
  function flush(): void {
    const lines = waiting;
    waiting = "";
    waitingBytes = 0;
    if (lines !== "") put(lines);
  }
  function put(text: string): void {
    let left = Buffer.from(text);
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
  }
  return {
    write(line) {
      flush();
      put(line);
    },
    writeSoon(line) {
      if (!flushesAtExit) process.on("exit", flush);
      flushesAtExit = true;
      const size = Buffer.byteLength(line);
      if (waitingBytes + size > mostTogether) flush();
      if (waiting === "") setImmediate(flush);
      waiting += line;
      waitingBytes += size;
    },
  };
}

/**
 * Describes a thrown value, or the text of one: class, text, code and stack of the error and its causes. Omits the
 * error's own properties: clients of brokers attach requests, headers and credentials to their errors.
 */
function describeError(error: unknown): unknown {
  if (typeof error === "string") return { message: error };
  if (!(error instanceof Error)) return { type: typeof error };
  // Texts and causes of a failed mapping and of a message that does not fit may quote the message.
  if (error instanceof GatewayError && error.status === 422)
    return { type: error.name, message: error instanceof MappingError ? error.detail : error.reason };
  const text = error instanceof GatewayError ? error.answer : error.message;
  return {
    type: error.name,
    message: text,
    ...("code" in error && typeof error.code === "string" && { code: error.code }),
    stack: error.stack?.replace(error.message, () => text),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
