// Bytes as they arrive to lines of bytes, as many at a time as have come.

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The lines of `input` without their breaks; the last need not have one. What is read waits for its reader. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[]> {
  let begun: Uint8Array[] = [];
  for await (const chunk of input) {
    const end = chunk.indexOf(lineFeed);
    if (end < 0) {
      begun.push(chunk);
      continue;
    }
    const lines = [withoutReturn(Buffer.concat([...begun, chunk.subarray(0, end)]))];
    let start = end + 1;
    for (let next = chunk.indexOf(lineFeed, start); next >= 0; next = chunk.indexOf(lineFeed, start)) {
      lines.push(withoutReturn(chunk.subarray(start, next)));
      start = next + 1;
    }
    begun = start < chunk.length ? [chunk.subarray(start)] : [];
    yield lines;
  }
  if (begun.length > 0) yield [withoutReturn(Buffer.concat(begun))];
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}
