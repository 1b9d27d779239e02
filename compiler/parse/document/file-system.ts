// The only way the compiler reaches files: an interface, so that everything runs in memory too.

import { open, readdir } from "node:fs/promises";

/** Where documents come from. Paths are relative to the working directory or absolute, with `/`. */
export interface FileSystem {
  /**
   * The bytes of a file; rejects with an error whose `code` is `ENOENT`, `EISDIR` or `EACCES` as Node's.
   * May stop after `limit` bytes and one more, so that a large file cannot fill the memory.
   */
  readFile(path: string, limit: number): Promise<Uint8Array>;
  /** The text of a file that needs no decoding, as an editor has it open. */
  textOf?(path: string): string | undefined;
  /** What lies in a folder, in any order; rejects like `readFile`. */
  list(folder: string): Promise<readonly FolderEntry[]>;
}

/** A name inside a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
}

/** The machine's files. */
export const nodeFileSystem: FileSystem = {
  async readFile(path, limit) {
    await using handle = await open(path, "r");
    const chunks: Uint8Array[] = [];
    let left = limit + 1;
    for await (const chunk of handle.createReadStream({ end: limit, autoClose: false })) {
      chunks.push(chunk);
      left -= chunk.length;
      if (left <= 0) break;
    }
    return Buffer.concat(chunks);
  },
  async list(folder) {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: entry.isDirectory() ? "folder" : "file" }));
  },
};

/** Files held in memory by path, for tests and for documents that came by other ways than a disk. */
export function createMemoryFileSystem(files: Readonly<Record<string, string | Uint8Array>>): FileSystem {
  const paths = Object.keys(files);
  return {
    async readFile(path) {
      const content = Object.hasOwn(files, path) ? files[path] : undefined;
      if (content === undefined) throw createFileError(path, paths);
      return typeof content === "string" ? new TextEncoder().encode(content) : content;
    },
    async list(folder) {
      const prefix = folder === "." || folder === "" ? "" : `${folder}/`;
      const entries = new Map<string, FolderEntry>();
      for (const path of paths) {
        if (!path.startsWith(prefix)) continue;
        const [name = "", ...below] = path.slice(prefix.length).split("/");
        entries.set(name, { name, kind: below.length === 0 ? "file" : "folder" });
      }
      if (entries.size === 0) throw createFileError(folder, paths);
      return [...entries.values()];
    },
  };
}

function createFileError(path: string, paths: readonly string[]): Error {
  const code = paths.some((other) => other.startsWith(`${path}/`)) ? "EISDIR" : "ENOENT";
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
