// Output for people at a terminal: colour, progress of slow work, and text measured in columns.

import { toCells, widthOf } from "../diagnostics/render/columns.ts";

/** Whether to colour the output to `stream`. Honours NO_COLOR and FORCE_COLOR. */
export function useColor(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "0") return true;
  return stream.isTTY === true;
}

/**
 * Calls `work`. If it takes over a second and standard error is a terminal, shows that it is in progress.
 * `words`: a description of the work, such as `compiling orders.yaml`.
 */
export async function withProgress<T>(words: string, work: () => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (stderr.isTTY !== true) return work();
  let shown = false;
  const timer = setTimeout(() => {
    shown = true;
    stderr.write(`${words} …`);
  }, 1000);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (shown) stderr.write(`\r\u001B[K`);
  }
}

/** Replaces the control characters of a text from an external source, which a terminal would interpret. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

/** Like `printable`, but keeps line feeds. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** Returns the number of terminal columns of a text: East Asian characters and emojis take two. */
export function columnsOf(text: string): number {
  return widthOf(toCells(text));
}

/** Returns the longest beginning of `text` that fits into `columns`. */
export function firstColumns(text: string, columns: number): string {
  let left = columns;
  let shown = "";
  for (const cell of toCells(text)) {
    left -= cell.width;
    if (left < 0) break;
    shown += cell.text;
  }
  return shown;
}
