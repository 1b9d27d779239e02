// Decoders for compressed bodies (`Content-Encoding`).

import type { Duplex } from "node:stream";
import { zlib } from "../process/builtins.ts";
import { unpackZstdFrames } from "./zstd-frames.ts";

/** An encoding of bodies. */
export interface Encoding {
  /** Returns a stream that decodes a body. */
  stream(): Duplex;
  /** Decodes a whole body of at most `mostAtOnce` bytes when decoded; throws if it is larger or malformed. */
  readonly atOnce?: (body: Uint8Array) => Buffer;
}

/** Encoded bytes of a body that is decoded at once: a stream and its turns cost more than decoding. */
export const shortBody = 4 * 1024;

/** The most bytes that are decoded at once. Nothing else runs meanwhile, for less than a millisecond. */
const mostAtOnce = 256 * 1024;

const bounded = { maxOutputLength: mostAtOnce };

const gzip: Encoding = {
  stream: () => zlib().createGunzip(),
  atOnce: (body) => zlib().gunzipSync(body, bounded),
};

const encodings: ReadonlyMap<string, Encoding> = /* @__PURE__ */ new Map<string, Encoding>([
  [
    "br",
    {
      stream: () => zlib().createBrotliDecompress(),
      atOnce: (body) => zlib().brotliDecompressSync(body, bounded),
    },
  ],
  ["deflate", { stream: () => zlib().createInflate(), atOnce: (body) => zlib().inflateSync(body, bounded) }],
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["zstd", { stream: () => unpackZstdFrames(createZstdDecoder) }],
]);

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
 * Returns the encodings of a body, in the order to decode them. The list is empty if the body is not encoded.
 * `undefined` if an encoding is unknown or the header names more than three.
 */
export function encodingsOf(header: string | undefined): readonly Encoding[] | undefined {
  if (header === undefined) return [];
  const layers = header
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (layers.length > maxLayers) return undefined;
  const known = layers.map((name) => encodings.get(name)).filter((each) => each !== undefined);
  if (known.length < layers.length) return undefined;
  // The header names encodings in the order in which they were applied, so they are undone in reverse order.
  return known.reverse();
}

/**
 * Returns a short body decoded. `undefined` if a stream has to decode it, which also finds out what is wrong with it: it
 * is longer, has another or more than one encoding, would become too large, or is malformed.
 */
export function decodeAtOnce(encodings: readonly Encoding[], body: Uint8Array): Buffer | undefined {
  const [encoding, ...others] = encodings;
  if (encoding?.atOnce === undefined || others.length > 0 || body.byteLength > shortBody) return undefined;
  try {
    return encoding.atOnce(body);
  } catch {
    return undefined;
  }
}
