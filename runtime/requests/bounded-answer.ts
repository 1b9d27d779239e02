// Answers of other servers, which are not trusted to be small.

/**
 * The body of an answer to `fetch`. Unpacked bytes count, so that a few cannot become very many. Rejects with what `tooLong`
 * makes when there are more than `most`, without reading on.
 */
export async function readAtMost(
  { body }: Response,
  most: number,
  tooLong: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
