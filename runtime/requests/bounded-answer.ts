// Reads responses of other servers with a size limit, since these servers are not trusted to send small responses.

import { Pieces } from "../process/memory/body-budget.ts";

/** A response, such as that to `fetch`. */
export interface Answer {
  readonly body: AsyncIterable<Uint8Array> | null;
}

/**
 * Reads the body of a response. The limit applies to decompressed bytes, so that a small response cannot
 * become a very large one. Stops reading and rejects with the result of `tooLong` if there are more than `most`
 * bytes.
 */
export async function readAtMost(
  { body }: Answer,
  most: number,
  tooLong: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const pieces = new Pieces();
  for await (const chunk of body ?? []) {
    if (pieces.length + chunk.byteLength > most) throw tooLong();
    pieces.add(chunk);
  }
  return Buffer.from(pieces.takeAll());
}
