// Answers of other servers, which are not trusted to be small.

import { Pieces } from "../process/memory/body-budget.ts";

/**
 * The body of an answer to `fetch`. Unpacked bytes count, so that a few cannot become very many. Rejects with what `tooLong`
 * makes when there are more than `most`, without reading on.
 */
export async function readAtMost(
  { body }: Response,
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
