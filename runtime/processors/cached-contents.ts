// The contents of several messages as one value of a cache, in the reference engine's layout, so that both can
// share a cache: version 1, the number of messages, then the length and the bytes of each; numbers are 32 bits,
// the highest byte first.

const version = 1;
const wordBytes = 4;

/** The contents as one value. */
export function encodeContents(contents: readonly Uint8Array[]): Uint8Array {
  const total = contents.reduce((sum, { length }) => sum + wordBytes + length, 2 * wordBytes);
  const encoded = new Uint8Array(total);
  const view = new DataView(encoded.buffer);
  view.setUint32(0, version);
  view.setUint32(wordBytes, contents.length);
  let at = 2 * wordBytes;
  for (const content of contents) {
    view.setUint32(at, content.length);
    encoded.set(content, at + wordBytes);
    at += wordBytes + content.length;
  }
  return encoded;
}

/** The contents in a value; `undefined` where it is of another make. */
export function decodeContents(encoded: Uint8Array): readonly Uint8Array[] | undefined {
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  if (encoded.length < 2 * wordBytes || view.getUint32(0) !== version) return undefined;
  const contents: Uint8Array[] = [];
  let at = 2 * wordBytes;
  for (let left = view.getUint32(wordBytes); left > 0; left--) {
    if (at + wordBytes > encoded.length) return undefined;
    const end = at + wordBytes + view.getUint32(at);
    if (end > encoded.length) return undefined;
    contents.push(encoded.subarray(at + wordBytes, end));
    at = end;
  }
  return contents;
}
