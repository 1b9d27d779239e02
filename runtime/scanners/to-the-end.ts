import type { Scanner } from "../component/scanner.ts";
import { Gathered, piece } from "./gathered.ts";
import type { ToTheEndScannerOptions } from "./generated/to-the-end-scanner-options.ts";

/** Makes one message of the whole source. */
export function toTheEndScanner(_options: ToTheEndScannerOptions = {}): Scanner {
  return {
    async *scan(source) {
      yield piece(await new Gathered(source).takeAll());
    },
  };
}
