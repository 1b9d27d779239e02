import { promisify } from "node:util";
import { gunzip, gzip, zstdCompress } from "node:zlib";
import kafkajs, { CompressionTypes } from "kafkajs";
import { unpackZstd } from "../../mapping/deflate.ts";
import { compressLz4, decompressLz4 } from "../../mapping/lz4.ts";
import { packSnappy, unpackSnappy } from "../../mapping/snappy.ts";
import { bodyBudget } from "../../process/memory/body-budget.ts";
import { asBuffer } from "../../text/utf8.ts";

/** A codec in the form that kafkajs expects. The encoder that kafkajs passes holds the bytes to compress. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

/**
 * Returns the largest decompressed size of a batch, in bytes. A larger batch cannot be read: it is held in memory as a whole,
 * however small its compressed form is.
 */
const largestBatch = () => Math.min(bodyBudget.limit / 2, 256 * 1024 * 1024);

const gnu = { pack: promisify(gzip), unpack: promisify(gunzip) };
const packZstd = promisify(zstdCompress);

/**
 * Installs the codecs that kafkajs does not include, and one for gzip, because its own decompresses without a limit.
 * They apply to every client of the process, because kafkajs looks them up globally.
 */
export function installCodecs(): void {
  for (const { type, codec } of Object.values(compressions)) {
    if (codec !== undefined) Reflect.set(kafkajs.CompressionCodecs, type, () => codec);
  }
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

/** The types of compression, by their names in documents. */
export type Compression = "none" | "gzip" | "snappy" | "lz4" | "zstd";

/** The code of each type of compression, and its codec. */
export const compressions: Readonly<
  Record<Compression, { readonly type: CompressionTypes; readonly codec: Codec | undefined }>
> = {
  none: { type: CompressionTypes.None, codec: undefined },
  gzip: { type: CompressionTypes.GZIP, codec: gzipped },
  snappy: { type: CompressionTypes.Snappy, codec: snappy },
  lz4: { type: CompressionTypes.LZ4, codec: lz4 },
  zstd: { type: CompressionTypes.ZSTD, codec: zstandard },
};

const xerialMagic = /* @__PURE__ */ Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const xerialHeader = 16;

/**
 * Decompresses the framing of Java's clients (snappy-java): a header, then blocks that each start with their length.
 */
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
