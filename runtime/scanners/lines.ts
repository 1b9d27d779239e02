import type { ScannedSource, Scanner } from "../component/scanner.ts";
import { readLines } from "../message/lines.ts";
import { piece } from "./gathered.ts";
import type { LinesScannerOptions } from "./generated/lines-scanner-options.ts";

/** Makes a message of each line. */
export function linesScanner(options: LinesScannerOptions = {}): Scanner {
  return {
    async *scan({ bytes, keep }: ScannedSource) {
      const hold = keep && { keep };
      for await (const line of readLines(bytes, options, hold)) yield piece(line);
    },
  };
}
