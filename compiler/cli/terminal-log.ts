// Writes the log of a gateway for people at a terminal: one line per event, with colours. Repeated warnings are
// counted: after the first, a line appears at the 10th, the 100th and so on.

import { createColors } from "picocolors";
import type { GatewayLog } from "../embed/load-gateway.ts";
import { printable, useColor } from "./terminal.ts";

type Fields = Readonly<Record<string, unknown>>;
type Level = "debug" | "info" | "warn" | "error";

const severity: Readonly<Record<string, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** Fields that have a fixed position in a line, or that repeat the message. */
const placed: ReadonlySet<string> = new Set([
  ...["api", "stream", "component", "error", "nextAttempt", "retry", "request"],
  ...["gateway", "admin", "problems"],
]);

/**
 * Returns a log that writes events of at least the level `least` to `terminal`; `info` if `least` is not a valid
 * level.
 */
export function createTerminalLog(terminal: NodeJS.WriteStream, least = "info"): GatewayLog {
  const colors = createColors(useColor(terminal));
  const limit = severity[least.trim().toLowerCase()] ?? 1;
  const marks: Readonly<Record<Level, string>> = {
    debug: colors.dim("·"),
    info: colors.green("●"),
    warn: colors.yellow("▲"),
    error: colors.red("✖"),
  };
  const counts = new Map<string, number>();

  function write(level: Level, message: string, fields: Fields): void {
    if ((severity[level] ?? 0) < limit) return;
    const count = severity[level] === 1 ? 1 : countOf(`${level} ${placeOf(fields)} ${message}`);
    if (!/^10*$/.test(String(count))) return;
    const time = colors.dim(new Date().toTimeString().slice(0, 8));
    const place = placeOf(fields);
    const parts = [
      ...[time, marks[level]],
      ...(place === "" ? [] : [colors.bold(printable(place))]),
      printable(message),
      ...detailsOf(message, fields).map((detail) => colors.dim(printable(detail))),
      ...(count > 1 ? [colors.yellow(`(${count} times)`)] : []),
    ];
    terminal.write(`${parts.join(" ")}\n`);
  }

  /** Counts a message and returns how often it occurred. Numbers in it are ignored. */
  function countOf(text: string): number {
    const key = text.replaceAll(/\d+/g, "0");
    if (counts.size > 1000) counts.clear();
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  }

  const logWith = (base: Fields): GatewayLog => ({
    debug: (message, fields) => write("debug", message, { ...base, ...fields }),
    info: (message, fields) => write("info", message, { ...base, ...fields }),
    warn: (message, fields) => write("warn", message, { ...base, ...fields }),
    error: (message, fields) => write("error", message, { ...base, ...fields }),
    with: (fields) => logWith({ ...base, ...fields }),
  });
  return logWith({});
}

/** `orders/intake output.kafka` */
function placeOf({ api, stream, component }: Fields): string {
  const owner = [api, stream].filter((part) => part !== undefined).join("/");
  return [owner, component].filter((part) => part !== undefined && part !== "").join(" ");
}

/** Returns the details of an event: addresses, problems and error texts as they are, other fields with their names. */
function detailsOf(message: string, fields: Fields): readonly string[] {
  const { gateway, admin, problems, error } = fields;
  const named = Object.entries(fields).filter(
    ([name, value]) => !placed.has(name) && isScalar(value) && !message.includes(String(value)),
  );
  return [
    ...(gateway === undefined ? [] : [`${gateway}`]),
    ...(admin === undefined ? [] : [`(admin ${admin})`]),
    ...(Array.isArray(problems) ? problems.map(String) : []),
    ...named.map(([name, value]) => `${name}=${value}`),
    ...(error instanceof Error && !message.includes(textOf(error)) ? [textOf(error)] : []),
  ];
}

/**
 * Returns the text of an error. For a failed message, that is the text callers get, since the full one may quote the
 * message.
 */
function textOf(error: Error): string {
  return "answer" in error ? String(error.answer) : error.message;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
