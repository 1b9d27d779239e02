import { zstdCompressSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { Message } from "../../../runtime/message/message.ts";
import {
  compressFlate,
  compressGzip,
  compressZlib,
  compressZstd,
  decompressFlate,
  decompressGzip,
  decompressZlib,
  decompressZstd,
} from "../../../runtime/processors/compression/deflate.ts";
import { compressLz4, decompressLz4 } from "../../../runtime/processors/compression/lz4.ts";
import { compressSnappy, decompressSnappy } from "../../../runtime/processors/compression/snappy.ts";
import type { CompressOptions } from "../../../runtime/processors/generated/compress-options.ts";
import type { DecompressOptions } from "../../../runtime/processors/generated/decompress-options.ts";
import { componentContext } from "../connectors/contexts.ts";

const test = suite("compression");

type Pair = readonly [(options: CompressOptions) => Processor, (options: DecompressOptions) => Processor];

const algorithms = {
  flate: [compressFlate, decompressFlate],
  gzip: [compressGzip, decompressGzip],
  lz4: [compressLz4, decompressLz4],
  snappy: [compressSnappy, decompressSnappy],
  zlib: [compressZlib, decompressZlib],
  zstd: [compressZstd, decompressZstd],
} as const satisfies Partial<Record<CompressOptions["algorithm"], Pair>>;

async function change(processor: Processor, bytes: Uint8Array): Promise<Message> {
  const [message] = (await processor.process([Message.fromBytes(bytes)], componentContext())).flat();
  assert.ok(message !== undefined);
  return message;
}

const names = Object.keys(algorithms) as (keyof typeof algorithms)[];

for (const algorithm of names) {
  const [compress, decompress] = algorithms[algorithm];

  test(`${algorithm} decompresses up to its limit, and flags content that exceeds it`, async () => {
    const content = Buffer.alloc(100_000, "abc");
    const packed = await change(compress({ algorithm }), content);
    assert.ok(packed.bytes().length < 20_000);
    const whole = await change(decompress({ algorithm, max_bytes: content.length }), packed.bytes());
    assert.equal(Buffer.from(whole.bytes()), content);
    const more = await change(decompress({ algorithm, max_bytes: content.length - 1 }), packed.bytes());
    assert.is(more.failure?.message, "the content is larger than the limit of 99999 bytes");
    assert.is(more.failure?.status, 422);
    assert.equal(more.bytes(), packed.bytes());
  });

  test(`${algorithm} flags truncated content`, async () => {
    const packed = (await change(compress({ algorithm }), Buffer.from("some content, some content"))).bytes();
    // The readers of lz4 and zstd in the reference engine accept empty input as empty content.
    for (let length = ["lz4", "zstd"].includes(algorithm) ? 1 : 0; length < packed.length; length++) {
      const cut = await change(decompress({ algorithm }), packed.subarray(0, length));
      assert.ok(cut.failure !== undefined, `${length} of ${packed.length}`);
    }
  });
}

/** A frame that readers must skip (RFC 8878, section 3.1.2). */
const passedOver = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);

test("zstd decompresses all frames, and flags trailing data", async () => {
  const unpack = async (...parts: readonly Uint8Array[]) =>
    change(decompressZstd({ algorithm: "zstd", max_bytes: 20 }), Buffer.concat(parts));
  const [one, none, two] = ["one", "", "two"].map((text) => zstdCompressSync(text));
  if (one === undefined || none === undefined || two === undefined) throw new Error("no frames");
  const whole = await unpack(one, none, passedOver, two);
  assert.is(Buffer.from(whole.bytes()).toString(), "onetwo");
  assert.is((await unpack(one, two.subarray(0, -1))).failure?.message, "unexpected EOF");
  assert.match((await unpack(one, Buffer.from("text"))).failure?.message ?? "", /magic number mismatch/);
  const many = Array.from({ length: 7 }, () => one);
  assert.match((await unpack(...many)).failure?.message ?? "", /larger than the limit of 20 bytes/);
  // Each frame needs a decoder, but has no content.
  const empty = Array.from({ length: 5_000 }, () => none);
  assert.is((await unpack(...empty)).failure?.message, "zstd: too many frames");
});

test("incompressible content of every size survives a round trip", async () => {
  for (const length of [0, 1, 59, 60, 61, 62, 255, 256, 257, 4096, 65_535, 65_536, 200_000]) {
    let state = length + 1;
    const content = Buffer.alloc(length).map(() => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state >>> 16;
    });
    for (const algorithm of names) {
      const [compress, decompress] = algorithms[algorithm];
      const packed = await change(compress({ algorithm }), content);
      const unpacked = await change(decompress({ algorithm }), packed.bytes());
      assert.ok(Buffer.from(unpacked.bytes()).equals(content), `${algorithm} of ${length}`);
    }
  }
});

test("compression levels differ in size", async () => {
  const content = Buffer.from(Array.from({ length: 5000 }, (_, index) => `${index * index};`).join(""));
  const size = async (level: number) =>
    (await change(compressGzip({ algorithm: "gzip", level }), content)).bytes().length;
  assert.ok((await size(0)) > content.length);
  assert.ok((await size(9)) < (await size(1)));
  assert.is(await size(-1), await size(6));
});

test.run();
