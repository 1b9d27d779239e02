// Bodies that come packed (`Content-Encoding`).

import type { Duplex } from "node:stream";
import { zlib } from "../process/builtins.ts";
import { unpackZstdFrames } from "./zstd-frames.ts";

const makers: Readonly<Record<string, () => Duplex>> = {
  br: () => zlib().createBrotliDecompress(),
  deflate: () => zlib().createInflate(),
  gzip: () => zlib().createGunzip(),
  "x-gzip": () => zlib().createGunzip(),
  zstd: () => unpackZstdFrames(createZstdDecoder),
};

/** With windows of 8 MB at most, as content codings have them (RFC 9659, section 3): a decoder holds a whole one. */
function createZstdDecoder() {
  const { constants, createZstdDecompress } = zlib();
  return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } });
}

/** More layers than real clients send, few enough to stay cheap. */
const maxLayers = 3;

/** What there is, as a header says it. */
export const supportedEncodings = "gzip, deflate, br, zstd";

/**
 * The streams that a body goes through to be unpacked, in that order; none where it is not packed, `undefined` for
 * an unknown encoding and for more than three layers.
 */
export function unpackersOf(header: string | undefined): readonly Duplex[] | undefined {
  if (header === undefined) return [];
  const layers = header
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (layers.length > maxLayers) return undefined;
  const known = layers.map((name) => (Object.hasOwn(makers, name) ? makers[name] : undefined));
  if (known.includes(undefined)) return undefined;
  // The last encoding named was applied last, so it comes off first.
  return known.reverse().flatMap((create) => (create === undefined ? [] : [create()]));
}
