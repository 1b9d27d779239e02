import type { ScannedSource, Scanner } from "../component/scanner.ts";
import type { SkipBomScannerOptions } from "./generated/skip-bom-scanner-options.ts";
import { toTheEndScanner } from "./to-the-end.ts";

/** Skips a byte order mark at the start of the source, and passes the rest to another scanner. */
export function skipBomScanner({ into = toTheEndScanner() }: SkipBomScannerOptions): Scanner {
  return { scan: (source) => into.scan({ ...source, bytes: withoutMark(source) }) };
}

const mark = /* @__PURE__ */ Uint8Array.of(0xef, 0xbb, 0xbf);

async function* withoutMark({ bytes }: ScannedSource): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of bytes) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < mark.length && hasMark(start, start.length)) continue;
    yield hasMark(start, mark.length) ? start.subarray(mark.length) : start;
    start = undefined;
  }
  if (start !== undefined && start.length > 0) yield start;
}

function hasMark(bytes: Uint8Array, length: number): boolean {
  return bytes.length >= length && mark.subarray(0, length).every((byte, index) => bytes[index] === byte);
}
