// Archives as tar writes them (POSIX.1-1988, ustar): the same entries make the same bytes.

/** A file of an archive; folders above it are entries of their own. */
export interface TarFile {
  /** Below the root, without a leading `/`: at most 99 bytes. */
  readonly path: string;
  readonly content: Buffer;
}

const blockSize = 512;

/** An archive with read-only files of root and the folders that hold them, dated 1970-01-01. */
export function createTar(files: readonly TarFile[]): Buffer {
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const entries = [
    ...[...folders].sort().map((folder) => header(`${folder}/`, 0, "5", 0o755)),
    ...files
      .toSorted((one, other) => (one.path < other.path ? -1 : 1))
      .flatMap(({ path, content }) => [header(path, content.length, "0", 0o444), content, padding(content)]),
  ];
  // Two empty blocks end an archive.
  return Buffer.concat([...entries, Buffer.alloc(2 * blockSize)]);
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function padding(content: Buffer): Buffer {
  return Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize);
}

function header(path: string, size: number, type: "0" | "5", mode: number): Buffer {
  if (Buffer.byteLength(path) > 99) throw new Error(`the path is too long for an archive: ${path}`);
  const block = Buffer.alloc(blockSize);
  const octal = (value: number, at: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, "0"), at, "latin1");
  block.write(path, 0, "utf8");
  octal(mode, 100, 8);
  octal(0, 108, 8); // user
  octal(0, 116, 8); // group
  octal(size, 124, 12);
  octal(0, 136, 12); // time
  block.write("        ", 148, "latin1"); // the checksum counts as blanks while it is computed
  block.write(type, 156, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}
