import { promisify } from "node:util";
import { gunzip, gzip, zstdCompress } from "node:zlib";
import kafkajs, { CompressionTypes } from "kafkajs";
import { unpackZstd } from "../../mapping/deflate.ts";
import { compressLz4, decompressLz4 } from "../../mapping/lz4.ts";
import { packSnappy, unpackSnappy } from "../../mapping/snappy.ts";
import { bodyBudget } from "../../process/memory/body-budget.ts";
import { asBuffer } from "../../text/utf8.ts";

/** What kafkajs wants of a codec; its own encoder holds the bytes to compress. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

/** A batch of records that holds more cannot be read: it is in memory as a whole, whatever little it was for its broker. */
const largestBatch = () => Math.min(bodyBudget.limit / 2, 256 * 1024 * 1024);

const gnu = { pack: promisify(gzip), unpack: promisify(gunzip) };
const packZstd = promisify(zstdCompress);

/** Names of the codecs as documents have them. */
export const compressionTypes = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
} as const;

/**
 * Gives kafkajs the codecs that it comes without, and one for gzip, as its own unpacks without a bound. They are the same for every client of a process, which is
 * where kafkajs looks for them.
 */
export function installCodecs(): void {
  kafkajs.CompressionCodecs[CompressionTypes.GZIP] = () => gzipped;
  kafkajs.CompressionCodecs[CompressionTypes.Snappy] = () => snappy;
  kafkajs.CompressionCodecs[CompressionTypes.LZ4] = () => lz4;
  kafkajs.CompressionCodecs[CompressionTypes.ZSTD] = () => zstandard;
}

const gzipped: Codec = {
  compress: ({ buffer }) => gnu.pack(buffer),
  decompress: (bytes) => gnu.unpack(bytes, { maxOutputLength: largestBatch() }),
};

const snappy: Codec = {
  compress: async ({ buffer }) => asBuffer(packSnappy(buffer)),
  decompress: async (bytes) => asBuffer(unpackFramedSnappy(bytes)),
};

const lz4: Codec = {
  compress: async ({ buffer }) => asBuffer(compressLz4(buffer)),
  decompress: async (bytes) => asBuffer(decompressLz4(bytes, largestBatch())),
};

const zstandard: Codec = {
  compress: ({ buffer }) => packZstd(buffer),
  decompress: async (bytes) => asBuffer(unpackZstd(bytes, largestBatch())),
};

const xerialMagic = /* @__PURE__ */ Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const xerialHeader = 16;

/** Java's clients put blocks into a frame of their own (snappy-java): a header, then each with its length. */
function unpackFramedSnappy(bytes: Buffer): Uint8Array {
  if (!bytes.subarray(0, xerialMagic.length).equals(xerialMagic)) return unpackSnappy(bytes, largestBatch());
  const blocks: Uint8Array[] = [];
  let left = largestBatch();
  for (let at = xerialHeader; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new RangeError("a snappy block is cut short");
    const block = unpackSnappy(bytes.subarray(at + 4, end), left);
    blocks.push(block);
    left -= block.length;
    at = end;
  }
  return Buffer.concat(blocks);
}
