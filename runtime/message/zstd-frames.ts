// Decodes Zstandard as a sequence of frames (RFC 8878, section 3): writers append frames to each other, but Node's
// decoder ends after the first frame.

import { Duplex, type Transform } from "node:stream";

/** The number of frames that may have any size. */
const anySize = 1_000;

/**
 * The minimum average size of further frames in bytes. Each frame needs a new decoder, which costs as much as some
 * kilobytes of data.
 */
const usualSize = 64;

/** Whether there are so many frames for the packed bytes that they only serve to keep a decoder busy. */
export function hasTooManyFrames(frames: number, bytes: number): boolean {
  return frames > anySize + bytes / usualSize;
}

/** A decoder of Node. `bytesWritten` counts the bytes that it has consumed. */
type Decoder = Transform & { readonly bytesWritten: number };

/**
 * Returns a stream that decodes all frames written to it. `create`: makes a decoder for each frame. The stream fails if
 * a decoder fails, or if it holds too many frames for its size.
 */
export function unpackZstdFrames(create: () => Decoder): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const chunks = source[Symbol.asyncIterator]();
    let packed = 0;
    let next = await chunks.next();
    for (let frames = 1; next.done !== true || frames === 1; frames += 1) {
      const decoder = create();
      const feeding = feed(decoder, next, chunks);
      // A failure of the source reaches the reader through the decoder.
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

/**
 * Writes chunks until the decoder's frame or the source ends. Returns the rest of the last chunk, or that the source
 * ended.
 */
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
