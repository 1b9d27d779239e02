import type { Scanner } from "../component/scanner.ts";
import { blockSize, readHeader, untilZero } from "../processors/archives/tar-header.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { Gathered, largestMessage, piece, unfitSource } from "./gathered.ts";
import type { TarScannerOptions } from "./generated/tar-scanner-options.ts";

/** Makes a message of each file in a tar archive. The metadata `tar_name` is the name of the file. */
export function tarScanner(_options: TarScannerOptions = {}): Scanner {
  return {
    async *scan(source) {
      const bytes = new Gathered(source);
      try {
        yield* readEntries(bytes);
      } finally {
        await bytes.close();
      }
    },
  };
}

async function* readEntries(bytes: Gathered): ReturnType<Scanner["scan"]> {
  let longName: string | undefined;
  for (;;) {
    const block = await bytes.take(blockSize);
    // Two blocks of zeros end an archive, but some writers omit them.
    if (block.length === 0 || block.every((byte) => byte === 0)) return;
    if (block.length < blockSize) throw cutOff();
    const { name, type, size } = readHeader(block);
    if (size > largestMessage)
      throw unfitSource(`A file in the archive is larger than ${largestMessage} bytes`);
    const content = await bytes.take(size);
    const padding = (blockSize - (size % blockSize)) % blockSize;
    if (content.length < size || (await bytes.take(padding)).length < padding) throw cutOff();
    if (type === "L") longName = decodeUtf8(untilZero(content));
    else if (type === "x") longName = pathIn(content) ?? longName;
    else if (type !== "g" && type !== "K") {
      yield piece(content, new Map([["tar_name", longName ?? decodeUtf8(name)]]));
      longName = undefined;
    }
  }
}

/** Returns the `path` of an extended header (POSIX pax): records of `length key=value` that end with a line feed. */
function pathIn(content: Uint8Array): string | undefined {
  let path: string | undefined;
  for (let at = 0; at < content.length; ) {
    const text = decodeUtf8(content.subarray(at, at + 20));
    const length = Number.parseInt(text, 10);
    if (!(length > 0)) break;
    const record = decodeUtf8(content.subarray(at, at + length - 1));
    const [key, ...value] = record.slice(record.indexOf(" ") + 1).split("=");
    if (key === "path") path = value.join("=");
    at += length;
  }
  return path;
}

function cutOff(): ReturnType<typeof unfitSource> {
  return unfitSource("The tar archive is cut off");
}
