// Zstandard as a sequence of frames (RFC 8878, section 3): writers append one to the other, and Node's decoder ends behind
// the first.

import { Duplex, type Transform } from "node:stream";

/** As many frames as may be of any size. */
const anySize = 1_000;

/** Bytes that further frames have on average: each takes a decoder of its own, which costs as much as some kilobytes do. */
const usualSize = 64;

/** Whether so many frames in so many packed bytes only serve to keep a decoder busy. */
export function hasTooManyFrames(frames: number, bytes: number): boolean {
  return frames > anySize + bytes / usualSize;
}

/** A decoder as Node makes it; `bytesWritten` counts what it has taken. */
type Decoder = Transform & { readonly bytesWritten: number };

/**
 * Unpacks all frames of what is written to it, by a decoder of `create` for each. Fails as the decoder does, and where the
 * frames are too many for their bytes.
 */
export function unpackZstdFrames(create: () => Decoder): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const chunks = source[Symbol.asyncIterator]();
    let packed = 0;
    let next = await chunks.next();
    for (let frames = 1; next.done !== true || frames === 1; frames += 1) {
      const decoder = create();
      const feeding = feed(decoder, next, chunks);
      // A failure of the source reaches the reader by the decoder.
      feeding.catch((error: unknown) =>
        decoder.destroy(error instanceof Error ? error : new Error(String(error))),
      );
      try {
        for await (const chunk of decoder) yield chunk;
        packed += decoder.bytesWritten;
        next = await feeding;
      } finally {
        decoder.destroy();
      }
      if (hasTooManyFrames(frames, packed)) {
        throw Object.assign(new Error("too many frames"), { code: "ZSTD_error_too_many_frames" });
      }
    }
  });
}

type Chunk = IteratorResult<Uint8Array, unknown>;

/** Writes chunks until the decoder's frame or the source ends; gives what is left of the last one, or that there is no more. */
async function feed(decoder: Decoder, first: Chunk, chunks: AsyncIterator<Uint8Array>): Promise<Chunk> {
  let fed = 0;
  for (let next = first; next.done !== true; next = await chunks.next()) {
    const chunk: Uint8Array = next.value;
    await new Promise<void>((resolve, reject) =>
      decoder.write(chunk, (error) => (error ? reject(error) : resolve())),
    );
    const taken = decoder.bytesWritten - fed;
    if (taken < chunk.length) return { value: chunk.subarray(taken), done: false };
    fed += chunk.length;
  }
  decoder.end();
  return { value: undefined, done: true };
}
