// Decoders for compressed bodies (`Content-Encoding`).

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

/**
 * Limits windows to 8 MB, as RFC 9659, section 3, does for content codings: a decoder holds a whole window in memory.
 */
function createZstdDecoder() {
  const { constants, createZstdDecompress } = zlib();
  return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } });
}

/** The maximum number of encodings of one body: more than real clients send, few enough to stay cheap. */
const maxLayers = 3;

/** The supported encodings, as a value for a header. */
export const supportedEncodings = "gzip, deflate, br, zstd";

/**
 * Returns the streams that decode a body, in the order to apply them. The list is empty if the body is not encoded.
 * `undefined` if an encoding is unknown or the header names more than three.
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
  // The header names encodings in the order in which they were applied, so they are undone in reverse order.
  return known.reverse().flatMap((create) => (create === undefined ? [] : [create()]));
}
