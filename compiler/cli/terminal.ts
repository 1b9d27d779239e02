// Output for people at a terminal: colour, control sequences, progress of slow work, and text measured in columns.

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
    if (shown) sendControls(stderr, `\r\u001B[K`);
  }
}

/** The unguarded `write` of each guarded stream. */
const unguarded = new WeakMap<NodeJS.WriteStream, NodeJS.WriteStream["write"]>();

/**
 * Replaces the control characters of everything that is written to a stream by `withoutControls`, so that no text of a
 * document, file name, service or message controls the terminal. Standard error is guarded in any case, since people
 * read its copies in files and CI logs; standard output, which carries data, only at a terminal.
 */
export function guardTerminal(stream: NodeJS.WriteStream, isAlways: boolean): void {
  if (unguarded.has(stream) || !(isAlways || stream.isTTY === true)) return;
  const write = stream.write.bind(stream);
  unguarded.set(stream, write);
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return write(withoutControls(text, useColor(stream)), ...(rest as [() => void]));
  };
}

/** Writes the cursor movements of a command itself, which `guardTerminal` would replace. */
export function sendControls(stream: NodeJS.WriteStream, text: string): void {
  const write = unguarded.get(stream);
  if (write === undefined) stream.write(text);
  else write(text);
}

/** Replaces the control characters of a text except line feeds, tabs and, with `color`, the colours of commands. */
export function withoutControls(text: string, color: boolean): string {
  return text.replaceAll(color ? controlsOrColor : controls, (found) => (found.endsWith("m") ? found : " "));
}

const controls = /[^\P{Cc}\n\t]+/gu;
/** Excepts the codes of picocolors that commands use, even where one follows another control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const controlsOrColor = /\x1b\[(?:[12]|22|3[1-6]|39)m|\x1b|[^\P{Cc}\n\t\x1b]+/gu;

/** Replaces the control characters of a text from an external source, which a terminal would interpret. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
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
