// Renders two states of a gateway as the lines that `sluice top` shows.

import { createColors } from "picocolors";
import { columnsOf, firstColumns, printable } from "../../compiler/cli/terminal.ts";
import type { Look, SeenStream } from "./admin-client.ts";

/** Layout options of a frame. */
export interface FrameOptions {
  readonly color: boolean;
  /** Columns and rows of the terminal. If absent, the length and the number of lines are unlimited. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

const titles = ["STREAM", "STATE", "IN/s", "OUT/s", "FAILED/s", "IN FLIGHT", "LAG", "CLIENTS"] as const;
const bad: ReadonlySet<string> = new Set(["failed", "blocked"]);

/** A lost connection to a gateway: the reason, and the time in milliseconds since 1970. */
export interface Loss {
  readonly reason: string;
  readonly since: number;
}

/**
 * The contents of a frame: the latest state, the previous one if there is one, and the lost connection if there is
 * one.
 */
export interface ShownLooks {
  readonly before: Look | undefined;
  readonly now: Look;
  readonly lost: Loss | undefined;
}

/**
 * Returns the lines of a frame: a headline, and a table in which streams with problems come first, each followed by
 * its reason. No more lines than the terminal has rows.
 */
export function frameOf(
  url: string,
  { before, now, lost }: ShownLooks,
  { color, columns, rows = Number.POSITIVE_INFINITY }: FrameOptions,
): readonly string[] {
  const colors = createColors(color);
  const earlier = new Map(before?.streams.map((stream) => [stream.name, stream]));
  const seconds = before === undefined ? 0 : (now.at - before.at) / 1000;
  const streams = now.streams.toSorted(
    (one, other) =>
      Number(bad.has(other.status)) - Number(bad.has(one.status)) || compareTexts(one.name, other.name),
  );
  const table = streams.map((stream) => cellsOf(stream, earlier.get(stream.name), seconds));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...table.map((cells) => columnsOf(cells[column] ?? ""))),
  );
  const laidOut = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const blanks = " ".repeat((widths[column] ?? 0) - columnsOf(cell));
        return column < 2 ? `${cell}${blanks}` : `${blanks}${cell}`;
      })
      .join("  ")
      .trimEnd();
  const cut = (line: string) => (columns === undefined ? line : firstColumns(line, columns));
  const body = streams.flatMap((stream, index) => {
    const line = cut(laidOut(table[index] ?? []));
    if (!bad.has(stream.status)) return [line];
    return [colors.red(line), ...whyOf(stream).map((text) => colors.yellow(cut(`  ${text}`)))];
  });
  // The last known state stays on screen, below the lines that say that the connection is lost.
  const notice = lost && [
    printable(lost.reason),
    `since ${new Date(lost.since).toISOString()}; trying again`,
  ];
  const head = [
    cut(headline(url, now)),
    ...(notice === undefined ? [""] : notice.map((line) => colors.red(cut(line)))),
    colors.bold(cut(laidOut(titles))),
  ];
  const room = Math.max(rows - head.length - 1, 1);
  const rest = cut(`… ${body.length - room + 1} more lines`);
  const shown = body.length <= room ? body : [...body.slice(0, room - 1), rest];
  return [...head, ...(streams.length === 0 ? [cut("This gateway has no streams.")] : shown)].slice(0, rows);
}

function headline(url: string, { isReady, version, startedAt, at, streams }: Look): string {
  const trouble = streams.filter(({ status }) => bad.has(status)).length;
  return [
    url,
    isReady ? "ready" : "not ready",
    `${streams.length} ${streams.length === 1 ? "stream" : "streams"}${trouble > 0 ? `, ${trouble} failed or blocked` : ""}`,
    ...(version === "" ? [] : [`Sluice ${printable(version)}`]),
    ...(startedAt === undefined ? [] : [`up for ${spanText(at - startedAt)}`]),
    new Date(at).toISOString(),
  ].join(" · ");
}

function cellsOf(stream: SeenStream, before: SeenStream | undefined, seconds: number): readonly string[] {
  const rate = (name: "received" | "delivered" | "failed") => {
    const difference = stream[name] - (before?.[name] ?? Number.NaN);
    // Counters restart with the process.
    if (!(difference >= 0) || seconds <= 0) return "–";
    return (difference / seconds).toFixed(difference === 0 ? 0 : 1);
  };
  const { name, status, inFlight, lag, clients } = stream;
  const counts = [inFlight, lag, clients].map((count) => (count === undefined ? "" : String(count)));
  return [printable(name), printable(status), rate("received"), rate("delivered"), rate("failed"), ...counts];
}

/** Returns why a stream does not work, since when, after how many attempts, and at which message. */
function whyOf({ reason, attempts, since, source }: SeenStream): readonly string[] {
  const course = [
    ...(attempts === undefined ? [] : [`${attempts} attempts`]),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(source === undefined ? [] : [`at ${source}`]),
  ].join(", ");
  return [reason, course].filter((text) => text !== "").map(printable);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** `42 s`, `17 min`, `5 h`, `12 d` */
function spanText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
