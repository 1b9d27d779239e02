// Content of bombs in formats that Node cannot compress.

/** Nested lists, each of which refers to the previous one several times. */
export function yamlOfAliases(aliases: number, anchors: number): string {
  const lines = Array.from({ length: anchors }, (_, at) => {
    const item = at === 0 ? "x" : `*a${at - 1}`;
    return `- &a${at} [${Array.from({ length: aliases }, () => item)}]\n`;
  });
  return lines.join("");
}

/** A frame of one block of zeros, in which each byte of the length stands for 255. */
export function lz4Zeros(): Uint8Array {
  const length = 260_000;
  const block = Buffer.concat([
    Uint8Array.of(0x1f, 0, 1, 0),
    Buffer.alloc(length, 255),
    Uint8Array.of(0, 0x50, 0, 0, 0, 0, 0),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(block.length);
  return Buffer.concat([
    Buffer.from("04224d186040", "hex"),
    Uint8Array.of(0x82),
    size,
    block,
    Buffer.alloc(4),
  ]);
}

/** Concatenates streams of bzip2, which the format allows. */
export const repeatedBzip2 = (stream: string, times: number) =>
  Buffer.concat(Array.from({ length: times }, () => Buffer.from(stream, "base64")));

/** The text `a`. */
export const bzip2Byte = "QlpoOTFBWSZTWRmTm2sAAAABACAAIAAhGEaC7kinChIDMnNtYA==";

/** A block of 720 kB: `aaaabbbb` repeated, so that the decoder sorts and walks 900 kB. */
export const bzip2Fours = "QlpoOTFBWSZTWdLbv8EEHpHBAEAAMAAgAFBmBNU00VQEtUVQEtFUBLSlIKq6KoCXi7kinChIaW3f4IA=";

/** 200 MB of zeros. */
export const bzip2Zeros =
  "QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU1kOCeLfAV+OQADAAAAIIAAwgE1GQqAlqQqAlzFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZzL/7xgB9osAIwAACAAAIIAAwzAmqaZKkQbVFSIPF3JFOFCQeFqODAA==";
