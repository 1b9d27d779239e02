import type { ScannedSource, Scanner } from "../component/scanner.ts";
import type { SkipBomScannerOptions } from "./generated/skip-bom-scanner-options.ts";
import { toTheEndScanner } from "./to-the-end.ts";

/** Skips a byte order mark of UTF-8, UTF-16 or UTF-32 at the start of the source, and passes the rest to another scanner. */
export function skipBomScanner({ into = toTheEndScanner() }: SkipBomScannerOptions): Scanner {
  return { scan: (source) => into.scan({ ...source, bytes: withoutMark(source) }) };
}

/** The marks of UTF-32, UTF-8 and UTF-16, in both orders of bytes. The longer ones come first. */
const marks = /* @__PURE__ */ ["0000feff", "fffe0000", "efbbbf", "feff", "fffe"].map((mark) =>
  Buffer.from(mark, "hex"),
);

async function* withoutMark({ bytes }: ScannedSource): AsyncGenerator<Uint8Array> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (marks.some((mark) => beginsWith(mark, start))) continue;
    yield afterMark(start);
    start = undefined;
  }
  const rest = start === undefined ? undefined : afterMark(start);
  if (rest !== undefined && rest.length > 0) yield rest;
}

/** Whether `mark` begins with all of `start`, and is longer. */
function beginsWith(mark: Buffer, start: Buffer | undefined): boolean {
  return start !== undefined && start.length < mark.length && mark.subarray(0, start.length).equals(start);
}

function afterMark(start: Buffer): Buffer {
  const mark = marks.find((each) => start.subarray(0, each.length).equals(each));
  return start.subarray(mark?.length ?? 0);
}
