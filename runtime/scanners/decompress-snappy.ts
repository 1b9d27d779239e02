// The `decompress` scanner for `snappy`: the frames of https://github.com/google/snappy/blob/main/framing_format.txt.

import type { ScannedSource, Scanner } from "../component/scanner.ts";
import { MappingError } from "../errors.ts";
import { castagnoli, remainderOf } from "../mapping/hashing.ts";
import { unpackSnappy } from "../mapping/snappy.ts";
import { Gathered, unfitSource } from "./gathered.ts";
import type { DecompressScannerOptions } from "./generated/decompress-scanner-options.ts";
import { toTheEndScanner } from "./to-the-end.ts";

/** The maximum number of bytes of a frame, unpacked. */
const largestFrame = 65_536;

const checksumSize = 4;

/** The maximum number of bytes of a frame, packed: a block of bytes that cannot be compressed, and its checksum. */
const largestPacked = checksumSize + 32 + largestFrame + Math.floor(largestFrame / 6);

const identifier = Buffer.from("sNaPpY");

/** Decompresses one frame at a time, as the inner scanner reads. */
export function decompressSnappyScanner({ into = toTheEndScanner() }: DecompressScannerOptions): Scanner {
  return { scan: (source) => into.scan({ ...source, bytes: unpacked(source) }) };
}

async function* unpacked({ bytes, name }: ScannedSource): AsyncGenerator<Uint8Array> {
  // The inner scanner reports what is retained.
  const source = new Gathered({ bytes, name });
  try {
    for (let isFirst = true; ; isFirst = false) {
      const head = await source.take(4);
      if (head.length === 0) return;
      if (head.length < 4) throw unfit();
      const [type = 0, low = 0, middle = 0, high = 0] = head;
      const length = low + middle * 2 ** 8 + high * 2 ** 16;
      if (isFirst && type !== 0xff) throw unfit();
      if ((type <= 1 && length > largestPacked) || (type > 1 && type < 0x80)) throw unfit();
      const body = Buffer.from(await source.take(length));
      if (body.length < length) throw unfit();
      if (type <= 1) yield contentOf(type, body);
      else if (type === 0xff && !body.equals(identifier)) throw unfit();
    }
  } finally {
    await source.close();
  }
}

/** Returns the content of a frame: 0 is compressed, 1 is not. */
function contentOf(type: number, body: Buffer): Uint8Array {
  if (body.length < checksumSize) throw unfit();
  const packed = body.subarray(checksumSize);
  const content = type === 0 ? unpackBlock(packed) : packed;
  if (content.length > largestFrame) throw unfit();
  if (maskedChecksum(content) !== body.readUInt32LE()) throw unfit();
  return content;
}

function unpackBlock(packed: Uint8Array): Uint8Array {
  try {
    return unpackSnappy(packed, largestFrame);
  } catch (error) {
    if (error instanceof MappingError) throw unfit(error);
    throw error;
  }
}

function maskedChecksum(content: Uint8Array): number {
  const sum = remainderOf(content, castagnoli);
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}

function unfit(cause?: unknown) {
  return unfitSource("The source is not compressed by snappy", cause);
}
