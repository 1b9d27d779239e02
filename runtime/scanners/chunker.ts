import type { Scanner } from "../component/scanner.ts";
import { Gathered, piece } from "./gathered.ts";
import type { ChunkerScannerOptions } from "./generated/chunker-scanner-options.ts";

/** Makes messages of `size` bytes. The last message has the remaining bytes. */
export function chunkerScanner({ size }: ChunkerScannerOptions): Scanner {
  return {
    async *scan(source) {
      const bytes = new Gathered(source);
      try {
        for (let chunk = await bytes.take(size); chunk.length > 0; chunk = await bytes.take(size)) {
          yield piece(chunk);
        }
      } finally {
        await bytes.close();
      }
    },
  };
}
