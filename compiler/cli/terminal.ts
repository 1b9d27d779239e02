// What may be written for people only: colour, progress of slow work, and text in the columns of a terminal.

import { toCells, widthOf } from "../diagnostics/render/columns.ts";

/** Whether to colour what goes to `stream`; NO_COLOR and FORCE_COLOR are honoured. */
export function useColor(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "0") return true;
  return stream.isTTY === true;
}

/**
 * Does `work`, and says so on standard error when that is a terminal and the work takes over a second.
 * `words` is what is being done: `compiling orders.yaml`.
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

/** A text without control characters, which a terminal would obey: what others answer may have them. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

/** How many columns of a terminal a text takes: characters of East Asia and emojis take two. */
export function columnsOf(text: string): number {
  return widthOf(toCells(text));
}

/** As much of the beginning of `text` as so many columns hold. */
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
