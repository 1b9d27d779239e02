import { readLines } from "../../message/lines.ts";
import type { Logger } from "../../process/log.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import type { Child } from "./child.ts";

/** Bytes of a line that is logged. */
const longestLine = 65_536;

/** Logs each line that a program writes to its standard error. */
export function logErrors({ process }: Child, log: Logger): void {
  const read = async () => {
    for await (const line of readLines(process.stderr, { max_buffer_size: longestLine, omit_empty: true }))
      log.warn("the command reports an error", { text: decodeUtf8(line) });
  };
  read().catch((error: unknown) => {
    log.warn("errors of the command cannot be read", { error: String(error) });
    process.stderr.resume();
  });
}
