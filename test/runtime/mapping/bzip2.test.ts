import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../runtime/errors.ts";
import { unpackBzip2 } from "../../../runtime/mapping/bzip2.ts";

/** Runs of every length, bytes of every sixteenth, and a run longer than one count, as `bzip2 -1` packs them. */
const packedMix =
  "QlpoMTFBWSZTWULZu44AACN///9QhCEIQhCEIQhCEL/hCFIQhCEIQhCEIQhCEIQhiEIYoACJFKeaJ6oaDQxGjCepoNNGIBkBhBlEyQ2po0ADT1NMgAAANABlPKU+AHgg0qQIJFBiGOlZI3BQsk577GLHkZaby5nM+h15+K/aIDYbbbi1IHiEA3g0OuNIEMSo1B4oQAGTgx1UkQBoxrfjAKnJHqEwkKQQ4t1jIAEoJfCV0yWIKYKQhDrrLZEQhYt8fDjJLNy59Ovbv4no8+vfz61+pqrAtn8XckU4UJBC2buO";
/** Three blocks. */
const packedFours =
  "QlpoMTFBWSZTWc6sCBUAdSxBAEAAMAAgAFBmApTTKgqMVQVGqgqMkiSuVBUeYoKyTKayuWFNDAFfgoIAgABgAEAAoMwJqmmCqFaoVQrQqhWRKSOCqFeYoKyTKaznVgQKgDqWIIAgABgAEAAoMwFKaZUFRiqCo1UFRkkSVyoKjzFBWSZTWYR6UocAABRBAEAAMAAgADDMBSmmmDGq6eLuSKcKEgPQEwNg";

const bytesOf = (base64: string) => Buffer.from(base64, "base64");
const mix = Buffer.concat([
  ...Array.from({ length: 60 }, (_, at) =>
    Buffer.alloc(1 + ((at * 5) % 7), 97 + ((at * at * 7 + Math.floor(at / 3)) % 9)),
  ),
  Uint8Array.from({ length: 52 }, (_, at) => at * 5),
  Buffer.alloc(1000, "z"),
]);
const fours = Buffer.from("aaaabbbb".repeat(30_000));
const limit = 1024 * 1024;

test("concatenated streams and blocks decompress to the original content", () => {
  const streams = Buffer.concat([bytesOf(packedMix), bytesOf(packedFours), bytesOf(packedMix)]);
  assert.ok(Buffer.concat([mix, fours, mix]).equals(unpackBzip2(streams, limit)));
});

test("the content may have as many bytes as the limit, and no more", () => {
  assert.is(unpackBzip2(bytesOf(packedMix), mix.length).length, mix.length);
  assert.throws(() => unpackBzip2(bytesOf(packedMix), mix.length - 1), /larger than the limit/);
  // The counts of its runs make the blocks a quarter larger than the decompressed content.
  assert.throws(() => unpackBzip2(bytesOf(packedFours), fours.length), /larger than the limit/);
  // So few compressed bytes expand to so many that they keep a processor busy, whatever the limit.
  const large = 64 * limit;
  const streams = (count: number) => Buffer.concat(Array.from({ length: count }, () => bytesOf(packedFours)));
  assert.is(unpackBzip2(streams(50), large).length, 50 * fours.length);
  const held = /the blocks hold more than the \d+ bytes that a message of this size may/;
  assert.throws(() => unpackBzip2(streams(100), large), held);
});

test("data with any bit flipped or any end truncated is rejected or unchanged, and never fails otherwise", () => {
  const packed = bytesOf(packedMix);
  for (let bit = 0; bit < packed.length * 8; bit += 1) {
    const turned = Buffer.from(packed);
    turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
    const content = outcome(turned);
    assert.ok(content === undefined || mix.equals(content), `bit ${bit}`);
  }
  for (let length = 0; length < packed.length; length += 1) {
    assert.is(outcome(packed.subarray(0, length)), undefined, `${length} bytes`);
  }
});

/** Returns the content, or `undefined` if the data is refused. */
function outcome(packed: Uint8Array): Uint8Array | undefined {
  try {
    return unpackBzip2(packed, limit);
  } catch (error) {
    assert.instance(error, MappingError);
    return undefined;
  }
}

test.run();
