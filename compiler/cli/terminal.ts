// What may be written for people only: colour, and progress of slow work.

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
